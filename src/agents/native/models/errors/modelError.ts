// Reads what went wrong with a provider into a code, a message for users and whether trying again makes sense. Knows no wire format.
import type { Clock } from '../../../../host/ports.ts';
import type { RetryRule } from '../../../../host/settings/settings.ts';
import type { ModelError, RefusalReason } from '../../model.ts';
import { isNetworkCode, connectionProblem } from './connectionError.ts';
import { retryDelay } from './retryDelay.ts';

export type ErrorCode =
  | 'auth'
  | 'rate-limited'
  | 'overloaded'
  | 'context-overflow'
  | 'invalid-image'
  | 'network'
  | 'invalid'
  | 'refused'
  | 'unknown';

/** What one kind of refusal means. Every field that is there has to fit; `said` is only for vendors without a code. */
export interface RefusalRule {
  readonly reason: RefusalReason;
  /** Fits the vendor's names for the kind of error: `type`, `code`, `status` or `reason`. */
  readonly code?: RegExp;
  /** Fits the place in the request that the vendor points at. */
  readonly param?: RegExp;
  /** Fits the vendor's message. */
  readonly said?: RegExp;
}

export interface FailedRequest {
  /** What users call the provider. */
  readonly name: string;
  /** What they give to `parley login`. */
  readonly provider: string;
  readonly model: string;
  readonly url: string;
  /** Failures that the user knows to pass. */
  readonly rules?: readonly RetryRule[] | undefined;
  /** What refusals mean in the wire format that was spoken. */
  readonly refusals?: readonly RefusalRule[] | undefined;
}

/** The request was given up because nothing came for so long. */
export class IdleTimeout extends Error {
  constructor() {
    super('Nothing came for too long.');
    this.name = 'IdleTimeout';
  }
}

/** The stream ended without saying that it was complete. */
export class StreamCutOff extends Error {
  constructor() {
    super('The stream ended early.');
    this.name = 'StreamCutOff';
  }
}

/** Something came that is no JSON, so nobody knows what it was. */
export class InvalidJson extends Error {
  constructor(cause: unknown) {
    super('A part of the answer is no JSON.', { cause });
    this.name = 'InvalidJson';
  }
}

/** Whoever answered is no provider: it sent a page, or an answer of another kind. */
export class UnexpectedContent extends Error {
  readonly sent: 'a web page' | 'something else';
  constructor(sent: 'a web page' | 'something else') {
    super('The answer is none.');
    this.name = 'UnexpectedContent';
    this.sent = sent;
  }
}

/** Not a word, not a call. */
export class EmptyAnswer extends Error {
  constructor() {
    super('The answer is empty.');
    this.name = 'EmptyAnswer';
  }
}

/** The provider answered with an error. */
export class ErrorResponse extends Error {
  readonly statusCode: number;
  readonly responseHeaders: { readonly [name: string]: string };
  readonly responseBody: string;
  constructor(status: number, headers: { readonly [name: string]: string }, body: string) {
    super(`The provider answered with status ${status}.`);
    this.name = 'ErrorResponse';
    this.statusCode = status;
    this.responseHeaders = headers;
    this.responseBody = body;
  }
}

export function modelError(error: unknown, blamed: FailedRequest, clock: Pick<Clock, 'now'>): ModelError {
  const { name } = blamed;
  if (error instanceof IdleTimeout)
    return problem('network', `${name} went silent in the middle of the answer.`, 'again');
  if (error instanceof StreamCutOff) return problem('network', `The answer of ${name} broke off.`, 'again');
  if (error instanceof EmptyAnswer) return problem('invalid', `${name} answered with nothing.`, 'again');
  if (error instanceof UnexpectedContent)
    return problem(
      'invalid',
      `${name} sent ${error.sent} instead of an answer from ${blamed.url}; check that address.`,
    );
  if (error instanceof Error && error.name === 'NoCredentials')
    return problem('auth', sentence(`${name} cannot be asked`, error.message));
  const seen = look(error);
  if (seen.unreadable) return problem('invalid', `${name} sent something that cannot be read.`, 'again');
  const rule = blamed.rules?.find((each) => passes(each, seen));
  if (rule)
    return problem(
      'overloaded',
      sentence(rule.label ?? `${name} failed`, rule.label === undefined ? seen.message : ''),
      'again',
    );
  const reason = reasonOf(seen, blamed.refusals ?? []);
  if (reason) return { ...problem(badImage.code, badImage.words(blamed, seen)), reason };
  const kind = kinds.find((each) => fits(each, seen));
  if (!kind)
    return seen.unreachable === undefined
      ? problem('unknown', sentence(`${name} failed`, seen.message))
      : unreachable(seen.unreachable, blamed);
  const wait = kind.again ? retryDelay(seen.headers, seen.body, clock.now()) : undefined;
  return {
    ...problem(kind.code, kind.words(blamed, seen), kind.again ? 'again' : 'never'),
    ...(wait === undefined ? {} : { wait }),
  };
}

function passes({ status, pattern }: RetryRule, seen: Seen): boolean {
  return (
    (status !== undefined || pattern !== undefined) &&
    (status === undefined || status === seen.status) &&
    (pattern === undefined || new RegExp(pattern, 'iu').test(`${seen.message} ${seen.body}`))
  );
}

function problem(code: ErrorCode, message: string, again: 'again' | 'never' = 'never'): ModelError {
  return { type: 'error', code, message, retryable: again === 'again' };
}

/** Statuses with which vendors refuse a request because of what is in it. */
function isRefusal(status: number | undefined): boolean {
  return status === undefined || status === 400 || status === 404 || status === 415 || status === 422;
}

function reasonOf(seen: Seen, rules: readonly RefusalRule[]): RefusalReason | undefined {
  if (!isRefusal(seen.status)) return undefined;
  const isSo = ({ code, param, said }: RefusalRule) =>
    (code?.test(seen.codes) ?? true) &&
    (param?.test(seen.param) ?? true) &&
    (said?.test(seen.message) ?? true);
  return rules.find(isSo)?.reason;
}

interface Seen {
  readonly status: number | undefined;
  /** The provider's own names for the kind of error, all in one string. */
  readonly codes: string;
  /** The place in the request that the provider points at. */
  readonly param: string;
  readonly message: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
  readonly unreachable: string | undefined;
  readonly unreadable: boolean;
}

interface Kind {
  readonly code: ErrorCode;
  readonly status?: (status: number) => boolean;
  readonly named?: RegExp;
  /** Only for what some providers have no name for. */
  readonly said?: RegExp;
  /** With which status these words mean that, where not with every one. */
  readonly saidWith?: (status: number | undefined) => boolean;
  readonly again?: true;
  readonly words: (blamed: FailedRequest, seen: Seen) => string;
}

/** In as many words as there are providers. */
const tooLong = new RegExp(
  [
    'prompt is too long',
    'prompt (?:exceeds|length exceeds)',
    'maximum (?:context|prompt) length',
    'context window',
    'context[ _]length (?:exceeded|of only)',
    "exceeds? (?:the )?(?:available |maximum |model's )*context",
    'exceed context limit',
    'input token count .* exceeds',
    'prompt token count of .* exceeds',
    'input is too long',
    'too many (?:total text bytes|input tokens)',
    'too large for model',
    'reduce the length of the (?:messages|prompt|input)',
    'exceeded model token limit',
    'greater than the context length',
    'request too large',
    "longer than the (?:model's )?context",
  ].join('|'),
  'i',
);

/** One picture that cannot be taken, or a model that takes none. */
const badPicture = new RegExp(
  [
    '(?:invalid|unsupported|(?:could not|cannot|unable to|failed to) (?:process|decode|download|parse|load|read)) (?:the |this |an? |input |provided )*image',
    "(?:does not|doesn't|not) support (?:image|vision)",
    'support image input',
    'not a multimodal model',
    '\\bimages?(?:_url)?\\b[^]{0,120}(?:\\bpixels?\\b|\\bdimensions?\\b|exceeds?\\b|too (?:small|large|big|many)|(?:in|not )valid|corrupt|(?:un|not )supported|only supported|is not (?:enabled|allowed)|may be provided)',
  ].join('|'),
  'i',
);

const badImage: Kind = {
  code: 'invalid-image',
  named: /invalid_image|image_parse_error|unsupported_image/,
  said: badPicture,
  saidWith: isRefusal,
  words: ({ model }, { message }) =>
    sentence(`The model ${model} does not take a picture of this conversation`, message),
};

/** In order; the first that fits decides. */
const kinds: readonly Kind[] = [
  {
    code: 'invalid',
    status: (status) => status >= 300 && status < 400,
    words: ({ name, url }) => `${name} sends us elsewhere from ${url}; that address is not the right one.`,
  },
  {
    code: 'context-overflow',
    status: (status) => status === 413,
    named:
      /context_length_exceeded|request_too_large|model_max_prompt_tokens_exceeded|exceed_context_size_error/,
    said: tooLong,
    words: ({ model }) =>
      `The conversation has become too long for ${model}. Start a new chat, or go back to an earlier message.`,
  },
  badImage,
  {
    code: 'refused',
    status: (status) => status === 402,
    named: /insufficient_quota|billing_error/,
    said: /credit balance|insufficient balance/i,
    words: ({ name }, { message }) => sentence(`${name} refuses because of your plan or balance`, message),
  },
  {
    code: 'auth',
    status: (status) => status === 401 || status === 403,
    named:
      /authentication_error|invalid_api_key|API_KEY_INVALID|permission_error|UNAUTHENTICATED|PERMISSION_DENIED/,
    said: /API key not valid/,
    words: ({ name, provider }, { message }) =>
      sentence(`${name} does not accept the key; set another one with "parley login ${provider}"`, message),
  },
  {
    code: 'rate-limited',
    status: (status) => status === 429,
    named: /rate_limit|RESOURCE_EXHAUSTED|[Tt]hrottling/,
    said: /rate limit|too many requests/i,
    again: true,
    words: ({ name }) => `The rate limit of ${name} is reached.`,
  },
  {
    code: 'overloaded',
    status: (status) => status === 529 || status === 503,
    named: /overloaded|UNAVAILABLE|service_unavailable|serviceUnavailable/,
    said: /\boverloaded\b|at capacity|high demand/i,
    again: true,
    words: ({ name }) => `Provider overloaded (${name}).`,
  },
  {
    code: 'overloaded',
    status: (status) => status >= 500,
    named: /api_error|server_error|internal_error|INTERNAL|internalServer|modelStreamError/,
    again: true,
    words: ({ name }, { status }) =>
      `${name} has an internal problem${status === undefined ? '' : ` (${status})`}.`,
  },
  {
    code: 'network',
    status: (status) => status === 408 || status === 409 || status === 425,
    again: true,
    words: ({ name }) => `${name} did not take the request in time.`,
  },
  {
    code: 'invalid',
    status: (status) => status === 404,
    named: /model_not_found|not_found_error|NOT_FOUND/,
    words: ({ name, model, url }, { message, body }) =>
      /^\s*</.test(body)
        ? `${name} has nothing at ${url}; check that address.`
        : sentence(`${name} has no model named ${model}`, message),
  },
  {
    code: 'refused',
    named: /content_filter|content_policy/,
    words: ({ name }, { message }) => sentence(`${name} refused to answer`, message),
  },
  {
    code: 'invalid',
    status: (status) => status >= 400,
    named: /invalid_request_error|INVALID_ARGUMENT|validationException/,
    words: ({ name }, { message }) => sentence(`${name} did not take the request`, message),
  },
];

function fits({ status, named, said, saidWith = () => true }: Kind, seen: Seen): boolean {
  return (
    (seen.status !== undefined && (status?.(seen.status) ?? false)) ||
    (named?.test(seen.codes) ?? false) ||
    ((said?.test(seen.message) ?? false) && saidWith(seen.status))
  );
}

function unreachable(code: string, blamed: FailedRequest): ModelError {
  const { words, again } = connectionProblem(code, blamed);
  return problem('network', words, again);
}

/** Whatever was thrown or sent, looked at from the outside: an error of the network, or the plain object that came over the wire. */
function look(error: unknown): Seen {
  const thrown = chainOf(error);
  const body = texts(thrown, 'responseBody')[0] ?? '';
  const answered = chainOf(parsed(body));
  const chain = [...answered, ...thrown];
  // Inside a stream the status stands where others have a name.
  const status = thrown
    .flatMap((each) => [read(each, 'statusCode'), read(each, 'code'), read(each, 'status')])
    .filter((value) => typeof value === 'number')
    .find((value) => value >= 300 && value < 600);
  const broken =
    texts(thrown, 'code').find(isNetworkCode) ??
    (texts(thrown, 'message').some((message) => message === 'terminated' || message === 'fetch failed')
      ? 'UND_ERR_SOCKET'
      : undefined);
  return {
    status,
    body,
    codes: ['type', 'code', 'status', 'reason'].flatMap((name) => texts(chain, name)).join(' '),
    param: texts(chain, 'param').join(' '),
    message:
      texts(answered, 'message')[0] ?? texts(answered, 'error')[0] ?? texts(thrown, 'message')[0] ?? '',
    headers: headersOf(thrown),
    unreachable: status === undefined || status < 400 ? broken : undefined,
    unreadable: thrown.some((each) => each instanceof InvalidJson),
  };
}

/** An error, what caused it, and what it carries: some carry the interesting part some levels down. */
function chainOf(error: unknown): readonly object[] {
  const chain: object[] = [];
  const waiting: unknown[] = [error];
  while (waiting.length > 0 && chain.length < 12) {
    const next = waiting.shift();
    if (typeof next !== 'object' || next === null || chain.includes(next)) continue;
    chain.push(next);
    if (Array.isArray(next)) waiting.push(...(next.slice(0, 3) as unknown[]));
    else waiting.push(...['cause', 'error', 'data', 'errors', 'details'].map((name) => read(next, name)));
  }
  return chain;
}

function read(from: object, name: string): unknown {
  return Reflect.get(from, name);
}

function texts(chain: readonly object[], name: string): readonly string[] {
  return chain.map((each) => read(each, name)).filter((value) => typeof value === 'string');
}

function headersOf(chain: readonly object[]): Seen['headers'] {
  const found = chain
    .map((each) => read(each, 'responseHeaders'))
    .find((value) => typeof value === 'object' && value !== null);
  return Object.fromEntries(
    Object.entries(found ?? {}).flatMap(([name, value]: [string, unknown]) =>
      typeof value === 'string' ? [[name.toLowerCase(), value]] : [],
    ),
  );
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const longest = 300;

function sentence(words: string, more: string): string {
  const said = more.replaceAll(/\s+/g, ' ').trim();
  if (said === '') return `${words}.`;
  const short = said.length > longest ? `${said.slice(0, longest)}…` : said;
  return `${words}: ${short}${/[.!?…]$/.test(short) ? '' : '.'}`;
}
