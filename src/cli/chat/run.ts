// `parley run`: runs one prompt non-interactively, on the running host or standalone. The
// exit code is the outcome.
import { errorText } from '../../base/errorText.ts';
import { parseArgs } from 'node:util';
import { text as readAll } from 'node:stream/consumers';
import { parseRule } from '../../host/policy/ruleText.ts';
import { encodeHello } from '../../io/local/socketGreeting.ts';
import { socketPath } from '../../io/settings/dataPaths.ts';
import type { Entry, Event } from '../../model/event.ts';
import { createMemoryPair } from '../../rpc/transports/memory.ts';
import { ndjson } from '../../rpc/framing/ndjson.ts';
import { createPeer } from '../../rpc/peer.ts';
import { createStreamTransport } from '../../rpc/transports/stream.ts';
import type { Transport } from '../../rpc/transports/transport.ts';
import { pictureFolder } from './pictures.ts';
import { connectToHost } from '../stdio/pipe.ts';
import type { DoorResult, RunWishes } from '../../app/runDoor.ts';
import { print, printError } from '../output.ts';
import { jsonText } from '../../base/jsonText.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      agent: { type: 'string' },
      model: { type: 'string' },
      json: { type: 'boolean' },
      allow: { type: 'string', multiple: true, default: [] },
      standalone: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  const wrong = values.allow.find((text) => parseRule(text) === undefined);
  if (wrong !== undefined)
    return complain(`Invalid rule "${wrong}". Examples: write_file, write_file(src/**), "$ npm test"`);
  const prompt =
    positionals.length === 1 && positionals[0] === '-' ? await readAll(process.stdin) : positionals.join(' ');
  if (prompt.trim() === '')
    return complain('Missing prompt. Usage: parley run "Explain this folder" (or - for standard input)');
  const wishes: RunWishes = {
    prompt,
    roots: [process.cwd()],
    allow: values.allow
      .flatMap((text) => parseRule(text) ?? [])
      .map(({ tool, command, paths }) => ({
        tool,
        ...(command ? { command: [...command] } : {}),
        ...(paths ? { paths: [...paths] } : {}),
      })),
    ...(values.agent === undefined ? {} : { agent: values.agent }),
    ...(values.model === undefined ? {} : { model: values.model }),
  };
  const show = values.json ? showJson : showText();
  if (values.standalone) return alone(wishes, show);
  const socket = await connectToHost(socketPath(process.env));
  socket.write(encodeHello('run'));
  return ask(createStreamTransport({ input: socket, output: socket, framing: ndjson }), wishes, show);
}

type Show = (entry: Entry) => void;

async function ask(transport: Transport, wishes: RunWishes, show: Show): Promise<number> {
  const peer = createPeer(transport, {
    // Our own host says what our own program reads.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    handle: { request: () => null, notification: (_, entry) => show(entry as Entry) },
    malformed: 'report',
  });
  const stop = new AbortController();
  // The host stops the turn when the connection ends.
  const leave = () => stop.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, leave);
  process.stdout.on('error', leave);
  try {
    // Our own host says what our own program reads.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const result = (await peer.request('run', wishes, { signal: stop.signal })) as DoorResult;
    return exitOf(result);
  } catch (error) {
    if (stop.signal.aborted) return 4;
    printError(`parley: ${errorText(error, String(error))}\n`);
    return 1;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, leave);
    peer.close();
    await peer.closed;
  }
}

async function alone(wishes: RunWishes, show: Show): Promise<number> {
  const [{ openHost }, { runDoor }] = await Promise.all([
    import('../../app/openHost.ts'),
    import('../../app/runDoor.ts'),
  ]);
  const opened = await openHost(process.env);
  if ('heldBy' in opened) {
    printError(
      'parley: A host is already running on this data directory. Leave out --standalone to use it, or ' +
        'set PARLEY_HOME.\n',
    );
    return 3;
  }
  const [here, there] = createMemoryPair();
  const served = runDoor().serve(there, opened.host);
  const code = await ask(here, wishes, show);
  await served;
  await opened.close();
  return code;
}

function exitOf({ outcome, refused }: DoorResult): number {
  if (outcome.kind === 'failed') printError(`parley: ${outcome.problem.message}\n`);
  if (outcome.kind === 'failed' || outcome.kind === 'interrupted') return 1;
  return outcome.kind === 'cancelled' || refused ? 4 : 0;
}

function showJson(entry: Entry): void {
  print(`${jsonText(entry)}\n`);
}

/**
 * Prints the answer to standard output, and everything else to standard error. The texts of subagents are
 * not part of the answer.
 */
function showText(): Show {
  let lineIsOpen = false;
  let mainChat: string | undefined;
  const save = pictureFolder();
  const endLine = () => {
    if (lineIsOpen) print('\n');
    lineIsOpen = false;
  };
  const showAnswer = (event: Event) => {
    if (event.kind === 'text.added' && event.channel === 'answer') {
      print(event.text);
      lineIsOpen = !event.text.endsWith('\n');
    } else if (event.kind === 'image.added') {
      endLine();
      print(`${save(event)}\n`);
    } else if (event.kind === 'turn.ended') endLine();
  };
  return ({ event }) => {
    if (event.kind === 'turn.started') mainChat ??= event.chat;
    if ('chat' in event && event.chat === mainChat) showAnswer(event);
    const step = stepText(event);
    if (step === undefined) return;
    endLine();
    printError(`${step}\n`);
  };
}

/** What standard error shows of an event. */
function stepText(event: Event): string | undefined {
  if (event.kind === 'tool.ready') return `> ${event.title}`;
  if (event.kind === 'notice.added') return event.text;
  if (event.kind !== 'tool.ended') return undefined;
  if (event.result.status === 'denied') return `  refused: ${event.result.reason}`;
  return event.result.status === 'failed' ? `  failed: ${event.result.error}` : undefined;
}

function complain(text: string): number {
  printError(`parley: ${text}\n`);
  return 2;
}
