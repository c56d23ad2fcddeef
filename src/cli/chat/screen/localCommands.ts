// The commands that only this client knows. Everything else goes to the host.
import type { ChatState, SessionState } from '../../../protocols/ahp/v1_0/state.ts';
import type { HostClient } from '../../client/hostClient.ts';
import type { ListedChoice } from '../../terminal/choiceList.ts';
import { age } from '../../say.ts';
import { shortMessage } from '../shortMessage.ts';
import { keyHelp } from './keyHelp.ts';
import type { RunningJobs } from './runningJobs.ts';
import { modelChoices, permissionChoices, sessionChoices, settingChoices } from './sessionChoices.ts';

/** What the commands do to the screen. */
export interface CommandEffects {
  readonly link: HostClient;
  readonly state: () => {
    readonly id: string;
    readonly chat: ChatState | undefined;
    readonly session: SessionState | undefined;
  };
  readonly jobs: RunningJobs;
  /** Stops the turn, or leaves. */
  readonly act: (what: 'stop' | 'quit') => void;
  readonly drop: (place: number) => void;
  /** False if no question is open. */
  readonly decline: () => boolean;
  readonly open: (session: string) => void;
  readonly setModel: (model: string) => void;
  readonly setConfig: (config: { readonly [name: string]: string }) => void;
  readonly pick: (
    title: string,
    choices: Promise<readonly ListedChoice[]>,
    choose: (choice: ListedChoice) => void,
  ) => void;
  readonly note: (text: string) => void;
  /** Prints lines that belong to no turn. */
  readonly tell: (lines: readonly string[]) => void;
}

/** Whether the text was such a command. */
export function runLocally(text: string, on: CommandEffects): boolean {
  const [name = '', word, ...more] = text.split(/\s+/);
  if (more.length > 0) return false;
  if (name === '/drop') on.drop(Number(word));
  else if (name === '/kill') void killJob(Number(word), on);
  else if (name === '/resume' && word !== undefined) openNamed(word, on);
  else {
    const run = word === undefined ? { ...plainCommands(on), ...settingCommands(on) }[name] : undefined;
    run?.();
    return run !== undefined;
  }
  return true;
}

type Commands = { readonly [command: string]: (() => void) | undefined };

function plainCommands(on: CommandEffects): Commands {
  const keys = () => on.tell(keyHelp.map(([pressed, meaning]) => `${pressed}: ${meaning}`));
  return {
    '/quit': () => on.act('quit'),
    '/exit': () => on.act('quit'),
    '/stop': () => on.act('stop'),
    '/queue': () => on.tell(queueLines(on.state().chat)),
    '/jobs': () => void tellJobs(on),
    '/keys': keys,
    '?': keys,
    '/decline': () => on.decline() || on.note('There is no question to decline.'),
    '/resume': () => on.pick('Open a session', sessionChoices(on.link), ({ id }) => on.open(id)),
  };
}

function settingCommands({ link, state, pick, setModel, setConfig }: CommandEffects): Commands {
  const { session } = state();
  if (!session) return {};
  return {
    '/model': () => pick('Model', modelChoices(link, session), ({ id }) => setModel(id)),
    '/permissions': () =>
      pick('Permission mode', Promise.resolve(permissionChoices(session)), ({ id }) =>
        setConfig({ permissions: id }),
      ),
    '/mode': () => pick('Mode', settingChoices(link, session, 'mode'), ({ id }) => setConfig({ mode: id })),
    '/effort': () =>
      pick('Effort', settingChoices(link, session, 'variant'), ({ id }) => setConfig({ variant: id })),
  };
}

/** Opens the session whose ID begins with a word, or whose title has it. */
function openNamed(word: string, { link, state, open, note }: CommandEffects): void {
  const { id: own } = state();
  const isNamed = ({ id, label }: ListedChoice) =>
    id.startsWith(word) || label.toLowerCase().includes(word.toLowerCase());
  void sessionChoices(link).then(
    (all) => {
      const found = all.find((choice) => isNamed(choice) && choice.id !== own);
      return found ? open(found.id) : note(`No other session is named ${word}. /resume lists them.`);
    },
    () => note(noAnswer),
  );
}

function queueLines(chat: ChatState | undefined): readonly string[] {
  const { queuedMessages = [] } = chat ?? {};
  if (queuedMessages.length === 0) return ['The queue is empty.'];
  return queuedMessages.map(({ message }, at) => `${at + 1}. ${shortMessage(message.text)}`);
}

/** The background jobs by number, then the sub-agents. */
async function tellJobs({ jobs, state, tell, note }: CommandEffects): Promise<void> {
  try {
    const running = await jobs.list();
    const agents = (state().session?.chats ?? []).filter(({ origin }) => origin?.kind === 'tool');
    const lines = [
      ...running.map(({ command, startedAt }, at) => `${at + 1}. ${command} (${age(startedAt, Date.now())})`),
      ...agents.map(({ title, activity = 'idle' }) => `${title}: ${activity}`),
    ];
    tell(lines.length === 0 ? ['Nothing runs in the background.'] : lines);
  } catch {
    note(noAnswer);
  }
}

/** Ends a background job by its number in the list. */
async function killJob(place: number, { jobs, note }: CommandEffects): Promise<void> {
  try {
    const job = (await jobs.list())[place - 1];
    if (!job) return note('No such job. /jobs lists them.');
    return note((await jobs.kill(job)) ? `Ended: ${job.command}` : 'This job has ended already.');
  } catch {
    return note(noAnswer);
  }
}

const noAnswer = 'The host has not answered.';
