// Decides about a tool call: by the policy, by an answer of the user, or by one that an earlier host got.
import { present } from '../../../base/present.ts';
import { visibleText } from '../../../base/visibleText.ts';
import { allows } from '../../../model/event.ts';
import type { Answer, AskOption } from '../../../model/event.ts';
import type { Verdict } from '../../agent.ts';
import { answerOptions, proposedRules } from '../../permissions/answerScopes.ts';
import { isSameAsk } from '../../permissions/recoveredAsks.ts';
import type { Approval } from '../../permissions/recoveredAsks.ts';
import { changedTool, leavesSandbox, secretFile } from '../../policy/policy.ts';
import type { ToolIntent, ToolRequest } from '../../policy/toolRequest.ts';
import { visibleAsk } from '../../policy/visibleAsk.ts';
import type { CheckEdit } from '../../session/editChecks.ts';
import { judgeIntent } from '../judgeIntent.ts';
import type { TurnContextOptions } from '../turnContext.ts';
import { confinedBy, sandboxUse } from './confinement.ts';
import { byAgent, openAsk, recoveredAnswer } from './openAsk.ts';

export async function approve(
  options: TurnContextOptions,
  request: ToolRequest,
  withdrawn: AbortSignal | undefined,
): Promise<Verdict> {
  const { session, world, chat, turn, signal } = options;
  const place = { chat: chat.id, turn: turn.id } as const;
  const { intent, ruling } = await judgeIntent(request.intent, options);
  const { effect, rule, hook, once, ends, safeGit, onlyReads } = ruling;
  const title = titleOf(request, rule);
  const sandbox = sandboxUse(options, ruling, intent);
  const confined = ruling.confined ? confinedBy(options, sandbox, request) : {};
  const limits = { ...confined, ...present({ onlyReads }) };
  const open = options.recovered.approvalOf(request.tool);
  const reason = `Refused by the rule "${rule}".`;
  if (open)
    return within(
      await session.edits.during(
        open.id,
        checkOf(options, request),
        continueApproval(options, open, { title, denial: effect === 'deny' ? reason : undefined }),
      ),
      limits,
    );
  if (effect === 'ask') {
    const folders = session.head.roots.map((root) => world.paths.canonical(root));
    const remember = proposedRules(intent, request, folders);
    const rules = once ? undefined : remember;
    const offered = answerOptions({ given: request.options, rules, folders });
    const question: Approval = {
      kind: 'approval',
      id: world.ids.next(),
      tool: request.tool,
      title,
      options: offered,
      editable: request.editable ?? false,
      ...present({ remember, sandbox, reason: reasonsInTitles.has(rule) ? rule : undefined }),
    };
    const earlier = await earlierVerdict(options, question, intent);
    if (earlier) return within(earlier, limits);
    const asking = openAsk(options, question, byAgent(withdrawn));
    const answer = await session.edits.during(question.id, checkOf(options, request), asking);
    return within(verdict(answer, offered), limits);
  }
  const refused =
    effect === 'allow'
      ? session.dispatch(
          { kind: 'allowTool', ...place, tool: request.tool, rule, ...present({ sandbox }) },
          { kind: 'host' },
        )
      : session.dispatch(
          { kind: 'denyTool', ...place, tool: request.tool, reason, rule, ...present({ hook }) },
          { kind: 'host' },
        );
  if (refused) return { allowed: false, reason: refused.message };
  await session.settled();
  if (signal.aborted) return { allowed: false, reason: 'The turn was stopped.' };
  if (effect === 'allow') return { allowed: true, ...present({ safeGit }), ...limits };
  return { allowed: false, reason, ...(ends ? { stop: true } : {}) };
}

/** People cannot see from the call itself why they are asked. */
const reasonsInTitles: ReadonlySet<string> = new Set([changedTool, leavesSandbox, secretFile]);

/** The rule that the log names for a call whose answer was given to the same call of the last host. */
const answeredBefore = 'answered before Parley was restarted';

/** The answer that a user gave before the agent was restarted and asked again. */
async function earlierVerdict(
  options: TurnContextOptions,
  question: Approval,
  { input }: ToolIntent,
): Promise<Verdict | undefined> {
  const { session, chat, turn, recovered } = options;
  const { tool, sandbox } = question;
  const before = recovered.takeEqual(visibleAsk(question), input, session.head.chats[chat.id]);
  const answer = before && (await recoveredAnswer(options, before.id));
  if (!answer || answer.kind === 'withdrawn') return undefined;
  const answered = verdict(answer, question.options);
  const place = { chat: chat.id, turn: turn.id, tool, rule: answeredBefore } as const;
  const refused = session.dispatch(
    answered.allowed
      ? { kind: 'allowTool', ...place, ...present({ sandbox }) }
      : { kind: 'denyTool', ...place, reason: answered.reason },
    { kind: 'host' },
  );
  if (refused) return { allowed: false, reason: refused.message };
  await session.settled();
  return answered;
}

/** What a user changes the call to must be possible, and no rule may deny it. */
function checkOf(options: TurnContextOptions, { edited }: ToolRequest): CheckEdit | undefined {
  if (!edited) return undefined;
  return async (input) => {
    const next = await edited(input);
    if ('refused' in next) return next;
    const { ruling } = await judgeIntent(next.intent, options);
    return ruling.effect === 'deny'
      ? { refused: `The rule "${ruling.rule}" refuses what you changed the call to.` }
      : { title: visibleText(next.title) };
  };
}

const changedCall = 'The call is no longer what the user was asked about. Call it again.';

/** Waits for the answer. Nobody may approve a call that is refused by now or has become another one. */
async function continueApproval(
  options: TurnContextOptions,
  open: Approval,
  { title, denial }: { readonly title: string; readonly denial: string | undefined },
): Promise<Verdict> {
  const { session, chat } = options;
  const isUnchanged = isSameAsk(visibleAsk({ ...open, title }), open);
  if (denial === undefined && isUnchanged)
    return verdict(await recoveredAnswer(options, open.id), open.options);
  const why = denial ?? changedCall;
  session.dispatch(
    { kind: 'answer', chat: chat.id, ask: open.id, answer: { kind: 'withdrawn', why } },
    { kind: 'host' },
  );
  await session.settled();
  return { allowed: false, reason: why };
}

/** An allowed call keeps what the policy has said: the limits of its sandbox, and whether it only reads. */
function within(answered: Verdict, limits: Limits): Verdict {
  return answered.allowed ? { ...answered, ...limits } : answered;
}

type Limits = Pick<Extract<Verdict, { readonly allowed: true }>, 'confined' | 'onlyReads'>;

function titleOf({ title, intent: { sandbox } }: ToolRequest, rule: string): string {
  if (rule === leavesSandbox) return `${title} (${rule}: ${sandbox?.outside ?? ''})`;
  return reasonsInTitles.has(rule) ? `${title} (${rule})` : title;
}

function verdict(answer: Answer, options: readonly AskOption[]): Verdict {
  if (answer.kind !== 'option')
    return {
      allowed: false,
      reason:
        answer.kind === 'withdrawn'
          ? answer.why
          : ('reason' in answer && answer.reason) || 'The user refused.',
    };
  const option = options.find(({ id }) => id === answer.option);
  if (!option || !allows(option))
    return {
      allowed: false,
      option: answer.option,
      reason: answer.reason ?? 'The user refused.',
      ...(answer.stop ? { stop: true } : {}),
    };
  return { allowed: true, option: option.id, ...(answer.input === undefined ? {} : { input: answer.input }) };
}
