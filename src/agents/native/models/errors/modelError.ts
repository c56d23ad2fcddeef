// Turns a failed exchange with a provider into a code, a message for users and whether a retry makes sense.
// Knows no wire format.
import { present } from '../../../../base/present.ts';
import type { Clock } from '../../../../host/ports.ts';
import { tryExpression } from '../../../../host/policy/expression.ts';
import type { RetryRule } from '../../../../host/settings/settings.ts';
import type { ModelError, RefusalReason } from '../../model.ts';
import { connectionProblem } from './connectionError.ts';
import { errorFacts } from './errorFacts.ts';
import type { ErrorFacts } from './errorFacts.ts';
import { errorKinds, invalidImage, isContentStatus, isKind, sentence } from './errorKinds.ts';
import type { ErrorCode, ErrorKind } from './errorKinds.ts';
import type { FailedRequest, RefusalRule } from './failedRequest.ts';
import { AnswerTooLarge, EmptyAnswer, IdleTimeout, StreamCutOff, UnexpectedContent } from './failures.ts';
import { retryDelay } from './retryDelay.ts';

export function modelError(error: unknown, request: FailedRequest, clock: Pick<Clock, 'now'>): ModelError {
  return ownFailure(error, request) ?? reportedError(errorFacts(error), request, clock);
}

/** Failures that our own code has detected. */
function ownFailure(error: unknown, { name, url }: FailedRequest): ModelError | undefined {
  if (error instanceof IdleTimeout)
    return retryable('network', `${name} went silent in the middle of the answer.`);
  if (error instanceof StreamCutOff) return retryable('network', `The answer from ${name} was cut off.`);
  if (error instanceof EmptyAnswer) return retryable('invalid', `${name} sent an empty answer.`);
  if (error instanceof AnswerTooLarge)
    return final('invalid', `${name} sent a part of an answer that is too large. None of its calls was run.`);
  if (error instanceof UnexpectedContent)
    return final(
      'invalid',
      `${name} sent ${error.sent} instead of an answer from ${url}; check that address.`,
    );
  if (error instanceof Error && error.name === 'NoCredentials')
    return final('auth', sentence(`${name} cannot be used`, error.message));
  return undefined;
}

/** Errors of the network, and those that the provider has reported. */
function reportedError(facts: ErrorFacts, request: FailedRequest, clock: Pick<Clock, 'now'>): ModelError {
  const { name } = request;
  if (facts.isInvalidJson) return retryable('invalid', `${name} sent an answer that is not valid JSON.`);
  const rule = request.rules?.find((each) => isRetryRule(each, facts));
  if (rule)
    return retryable('overloaded', rule.label ? `${rule.label}.` : sentence(`${name} failed`, facts.message));
  const reason = refusalReason(facts, request.refusals ?? []);
  if (reason) return { ...final(invalidImage.code, invalidImage.text(request, facts)), reason };
  const kind = errorKinds.find((each) => isKind(each, facts));
  if (kind) return errorOfKind(kind, { facts, request, now: clock.now() });
  if (facts.networkCode === undefined) return final('unknown', sentence(`${name} failed`, facts.message));
  const problem = connectionProblem(facts.networkCode, request);
  return problem.retryable ? retryable('network', problem.text) : final('network', problem.text);
}

function errorOfKind(
  kind: ErrorKind,
  {
    facts,
    request,
    now,
  }: { readonly facts: ErrorFacts; readonly request: FailedRequest; readonly now: number },
): ModelError {
  const text = kind.text(request, facts);
  if (!kind.retryable) return final(kind.code, text);
  return { ...retryable(kind.code, text), ...present({ wait: retryDelay(facts.headers, facts.body, now) }) };
}

function retryable(code: ErrorCode, message: string): ModelError {
  return { type: 'error', code, message, retryable: true };
}

function final(code: ErrorCode, message: string): ModelError {
  return { type: 'error', code, message, retryable: false };
}

function isRetryRule({ status, pattern }: RetryRule, facts: ErrorFacts): boolean {
  return (
    (status !== undefined || pattern !== undefined) &&
    (status === undefined || status === facts.status) &&
    (pattern === undefined || finds(pattern, `${facts.message} ${facts.body}`))
  );
}

/** In upper or lower case, and in bounded time: the text comes from a server. */
function finds(pattern: string, text: string): boolean {
  const plain = pattern.replaceAll(/\\[pP]\{[^}]*\}|\\.|[A-Z]/gs, (part) =>
    part.length === 1 ? part.toLowerCase() : part,
  );
  return tryExpression(plain, text.slice(0, longestError).toLowerCase()) === true;
}

/** In characters. */
const longestError = 10_000;

function refusalReason(facts: ErrorFacts, rules: readonly RefusalRule[]): RefusalReason | undefined {
  if (!isContentStatus(facts.status)) return undefined;
  const matches = ({ code, param, message }: RefusalRule) =>
    (code?.test(facts.codes) ?? true) &&
    (param?.test(facts.param) ?? true) &&
    (message?.test(facts.message) ?? true);
  return rules.find(matches)?.reason;
}
