// Asks the user which names a confined program may connect to, while the program waits. An answer for the
// session or for always is a rule, until somebody takes it back. Also asks whether a command may leave the
// sandbox, which only a report of the sandbox itself leads to; no rule or earlier answer covers that.
import { hasHost, hostLabel, remoteHosts } from '../policy/knownHosts.ts';
import type { Confinement, NetworkTarget, ReachNetwork } from '../ports.ts';
import type { Answer, Ask, Choice, Json, Rule } from '../../model/event.ts';
import type { Session } from '../session/session.ts';
import type { World } from '../world.ts';
import { onAbort } from '../../base/waiting.ts';

export interface NetworkQuestionOptions {
  readonly session: Session;
  readonly world: World;
  /** The rules for more than this session. */
  readonly rules: () => readonly Rule[];
  /** Asks in the running turn. */
  readonly open: (
    question: Ask,
    withdrawal: { readonly signal: AbortSignal; readonly why: string },
  ) => Promise<Answer>;
}

/** The answers for one run of a program; `who` says what runs, for people. */
export function askForNetwork(options: NetworkQuestionOptions, who: string): ReachNetwork {
  /** What was asked in this run: a program often connects to one name many times. */
  const asked = new Map<string, SharedQuestion>();
  let count = 0;
  return (target, signal) => {
    const { session, world, rules } = options;
    const { hosts = [] } = world.settings?.of(session.head.roots).sandbox ?? {};
    if (hasHost(hosts, target) || isAllowed([...session.head.rules, ...rules()], target)) return allowed;
    const known = asked.get(keyOf(target));
    if (known && !known.isTakenBack) return known.join(signal);
    if (count >= mostNames) return tooMany;
    count += 1;
    const question = new SharedQuestion(async (gone) => {
      const choice = await ask(options, { target, who, signal: gone });
      // From now on a rule says it, which somebody may take back.
      if (choice === 'session' || choice === 'always') asked.delete(keyOf(target));
      return isYes(choice) ? { allowed: true } : { allowed: false, reason: 'the user has not allowed it' };
    });
    asked.set(keyOf(target), question);
    return question.join(signal);
  };
}

/** A question for which several connections may wait; it is taken back when none waits any more. */
class SharedQuestion {
  readonly #gone = new AbortController();
  readonly #verdict: Promise<Verdict>;
  #waiting = 0;
  #isAnswered = false;

  constructor(put: (gone: AbortSignal) => Promise<Verdict>) {
    this.#verdict = put(this.#gone.signal).finally(() => (this.#isAnswered = true));
  }

  get isTakenBack(): boolean {
    return this.#gone.signal.aborted;
  }

  join(signal: AbortSignal): Promise<Verdict> {
    this.#waiting += 1;
    onAbort(signal, () => {
      this.#waiting -= 1;
      if (this.#waiting === 0 && !this.#isAnswered) this.#gone.abort();
    });
    return this.#verdict;
  }
}

type Verdict = Awaited<ReturnType<ReachNetwork>>;

const allowed: Promise<Verdict> = Promise.resolve({ allowed: true });

/** How many names one run may ask about, counting repeated ones; no user would answer more. */
const mostNames = 100;
const tooMany: Promise<Verdict> = Promise.resolve({
  allowed: false,
  reason: `it is more than the ${mostNames} names that one run may ask for`,
});

interface NetworkQuestion {
  readonly target: NetworkTarget;
  readonly who: string;
  readonly signal: AbortSignal;
}

async function ask(
  options: NetworkQuestionOptions,
  { target, who, signal }: NetworkQuestion,
): Promise<Json | undefined> {
  const { world, open } = options;
  const remotes = await remotesOf(options);
  const answer = await open(questionAbout(target, { who, remotes, id: world.ids.next() }), {
    signal,
    why: 'The program no longer waits.',
  });
  return answer.kind === 'fields' ? answer.values[questionId(target)] : undefined;
}

function isYes(choice: Json | undefined): boolean {
  return choice === 'once' || choice === 'session' || choice === 'always';
}

/** In bytes. */
const longestConfiguration = 100_000;

async function remotesOf({ session, world }: NetworkQuestionOptions): Promise<readonly string[]> {
  const found = await Promise.all(
    session.head.roots.map(async (root) => {
      const read = await world.files
        ?.readText(`${root}/.git/config`, longestConfiguration)
        .catch(() => undefined);
      return read && 'text' in read ? remoteHosts(read.text) : [];
    }),
  );
  return found.flat();
}

function questionAbout(
  target: NetworkTarget,
  { who, remotes, id }: { readonly who: string; readonly remotes: readonly string[]; readonly id: string },
): Ask {
  const { name, port } = target;
  const label = hostLabel(name, remotes);
  const where = port === 443 || port === 80 ? name : `${name}, port ${port}`;
  return {
    kind: 'question',
    id,
    message: `${inOneLine(who)} wants to connect to ${where}${label === undefined ? '' : ` (${label})`}.`,
    questions: [
      {
        id: questionId(target),
        message: `Connect to ${where}?`,
        required: true,
        answer: { type: 'one', choices },
      },
    ],
    needs: 'approve',
    about: 'network',
    remember: [{ tool: networkTool, host: keyOf(target) }],
  };
}

/** The words of a command must not push the name out of sight, or say another one in a line of its own. */
function inOneLine(who: string): string {
  const [line = ''] = who.split('\n', 1);
  const short = Array.from(line).slice(0, longestWho).join('');
  return short === who ? who : `${short} …`;
}

/** In characters. */
const longestWho = 100;

const choices: readonly Choice[] = [
  { id: 'once', label: 'Allow once', description: 'For this command; for an agent, until its turn ends.' },
  { id: 'session', label: 'Allow for this session' },
  {
    id: 'always',
    label: 'Always allow',
    description: 'For all sessions, until you revoke it: parley permissions.',
    needs: 'control',
  },
  { id: 'no', label: 'Do not allow' },
];

function keyOf({ name, port }: NetworkTarget): string {
  return `${name}:${port}`;
}

function questionId(target: NetworkTarget): string {
  return `network ${keyOf(target)}`;
}

/** No tool has this kind, so no call is covered. */
const networkTool = '@network';

function isAllowed(rules: readonly Rule[], target: NetworkTarget): boolean {
  return rules.some(({ effect, host }) => effect === 'allow' && host === keyOf(target));
}

export interface LeaveQuestionOptions {
  readonly newId: () => string;
  /** Asks in the running turn. */
  readonly open: NetworkQuestionOptions['open'];
}

export function askToLeave(
  { newId, open }: LeaveQuestionOptions,
  { title, tool }: { readonly title: string; readonly tool: string },
): NonNullable<Confinement['leave']> {
  return async (stopped, signal) => {
    const answer = await open(
      {
        kind: 'question',
        id: newId(),
        tool,
        message: `${title} failed, and the sandbox had stopped ${stopped.join('; ')}.`,
        questions: [
          {
            id: 'leave',
            message: 'Run it again outside the sandbox, with your rights?',
            required: true,
            answer: { type: 'one', choices: leaveChoices },
          },
        ],
        needs: 'approve',
        about: 'leaving',
      },
      { signal, why: 'The call was stopped.' },
    );
    return answer.kind === 'fields' && answer.values['leave'] === 'once';
  };
}

const leaveChoices: readonly Choice[] = [
  {
    id: 'once',
    label: 'Run it once outside',
    description: 'This command only; the next one is confined again.',
  },
  { id: 'no', label: 'Leave it as it is' },
];
