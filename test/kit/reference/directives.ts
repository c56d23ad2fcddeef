// Executes the directives in a prompt to the reference agent, one directive per line.
//
//   say WORDS, think WORDS, stream COUNT WORDS
//   update JSON             sends a session/update; stranger JSON sends one for another session
//   call METHOD JSON        asks the client and says its answer
//   notify METHOD JSON
//   shell COMMAND           a tool call that runs a command
//   put PATH JSON           writes a file without the client
//   append PATH JSON        adds to a file without the client; revise reports it with the text before,
//                           through adds through the client
//   remove PATH, rename FROM TO, mode PATH OCTAL
//   do COMMAND              runs a command line and tells nobody
//   try DIRECTIVE           goes on where the directive fails
//   pause MS, hang, crash [CODE]
//   leave child             starts a process that outlives a crash
//   raw TEXT, garbage COUNT, flood KILOBYTES
//   endless KILOBYTES       sends one line without an end
//   late MS DIRECTIVE       executes the directive after the answer
//   stop REASON, fail CODE WORDS
//   answer JSON             answers the prompt with it
//   lose                    forgets the conversation
//   memory                  says how many messages it remembers
//   show                    says the whole prompt
//   environment NAME
//   again                   does nothing; after a restart the work goes on behind it
import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { find, memory, sessions } from './sessions.ts';
import { shell, tell } from './shell.ts';
import type { Speaker } from './shell.ts';
import { problem, request, send, sleep, update } from './wire.ts';
import type { Json } from './wire.ts';

export async function play(speaker: Speaker, text: string): Promise<string> {
  for (const line of text.split('\n')) {
    const [, verb = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(line.trim()) ?? [];
    const stop = await perform(speaker, verb, rest);
    if (stop !== undefined) return stop;
  }
  return 'end_turn';
}

async function perform(speaker: Speaker, verb: string, rest: string): Promise<string | undefined> {
  const { id, blocks } = speaker;
  const [, first = '', more = ''] = /^(\S+)\s*(.*)$/s.exec(rest) ?? [];
  const say = (words: string) =>
    tell(speaker, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: words } });
  switch (verb) {
    case 'say':
      say(`${rest}\n`);
      return undefined;
    case 'think':
      update(id, { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: rest } });
      return undefined;
    case 'stream':
      for (let count = 0; count < Number(first); count += 1) say(more);
      return undefined;
    case 'update':
      update(id, JSON.parse(rest) as Json);
      return undefined;
    case 'stranger':
      update('somebody-else', JSON.parse(rest) as Json);
      return undefined;
    case 'call':
      say(`${await ask(id, first, more === '' ? {} : (JSON.parse(more) as Json))}\n`);
      return undefined;
    case 'notify':
      send({ method: first, params: JSON.parse(more) as Json });
      return undefined;
    case 'shell':
      await shell(speaker, rest);
      return undefined;
    case 'quota':
      memory.quota = JSON.parse(rest) as Json;
      return undefined;
    case 'put':
      writeFileSync(first, JSON.parse(more) as string);
      return undefined;
    case 'append':
      appendFileSync(first, JSON.parse(more) as string);
      return undefined;
    case 'revise':
      revise(id, first, JSON.parse(more) as string);
      return undefined;
    case 'through': {
      const content = `${textOf(first)}${JSON.parse(more) as string}`;
      say(`${await ask(id, 'fs/write_text_file', { path: first, content })}\n`);
      return undefined;
    }
    case 'remove':
      rmSync(first);
      return undefined;
    case 'do':
      execFileSync('/bin/sh', ['-c', rest], { stdio: 'ignore' });
      return undefined;
    case 'mode':
      chmodSync(first, Number.parseInt(more, 8));
      return undefined;
    case 'rename':
      renameSync(first, more);
      return undefined;
    case 'again':
      return undefined;
    case 'try':
      return perform(speaker, first, more).catch(() => undefined);
    case 'pause':
      await sleep(Number(first));
      return undefined;
    case 'hang':
      return new Promise(() => {});
    case 'crash':
      return process.exit(first === '' ? 1 : Number(first));
    case 'leave':
      spawn('sh', ['-c', "trap '' TERM HUP; while :; do sleep 0.1; done"], {
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      return undefined;
    case 'raw':
      process.stdout.write(`${rest}\n`);
      return undefined;
    case 'garbage':
      for (let count = 0; count < Number(first); count += 1)
        process.stdout.write(
          count % 2 ? '{"jsonrpc":"2.0","id":' + String(count + 900) + ',"result":{}}\n' : 'not json {\n',
        );
      return undefined;
    case 'endless':
      await endless(Number(first));
      return undefined;
    case 'flood':
      await flood(id, Number(first));
      return undefined;
    case 'late':
      setTimeout(() => void play({ id, blocks, over: false }, more), Number(first));
      return undefined;
    case 'stop':
      return first;
    case 'answer':
      memory.wrongAnswer = { instead: JSON.parse(rest) as unknown };
      return undefined;
    case 'fail':
      throw problem(Number(first), more);
    case 'memory':
      say(`I remember ${find(id).messages.length}.\n`);
      return undefined;
    case 'settings':
      say(`${JSON.stringify({ ...find(id), cwd: undefined, messages: undefined, given: undefined })}\n`);
      return undefined;
    case 'folders':
      say(`${[find(id).cwd, ...find(id).folders].join(' ')}\n`);
      return undefined;
    case 'servers':
      say(`${JSON.stringify(find(id).servers)}\n`);
      return undefined;
    case 'notified':
      say(`${JSON.stringify(memory.notified)}\n`);
      return undefined;
    case 'given':
      say(`${JSON.stringify(find(id).given)}\n`);
      return undefined;
    case 'lose':
      sessions.delete(id);
      return undefined;
    case 'logout':
      memory.signedIn = false;
      return undefined;
    case 'show':
      say(JSON.stringify(blocks));
      return undefined;
    case 'environment':
      say(`${first}=${process.env[first] ?? 'nothing'}\n`);
      return undefined;
    case 'process':
      say(`pid ${process.pid}\n`);
      return undefined;
    default:
      say(`You said: ${[verb, rest].join(' ')}`);
      return undefined;
  }
}

/** Adds to a file as agents do: a call, the write, and the texts before and after. */
function revise(id: string, path: string, added: string): void {
  const toolCallId = `revise-${Math.random()}`;
  const oldText = textOf(path);
  const newText = `${oldText}${added}`;
  const call = { toolCallId, title: 'Revise', kind: 'edit', status: 'in_progress', locations: [{ path }] };
  update(id, { sessionUpdate: 'tool_call', ...call });
  writeFileSync(path, newText);
  const content = [{ type: 'diff', path, oldText, newText }];
  update(id, { sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', content });
}

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** One chunk after the other as fast as the pipe takes them. */
async function flood(sessionId: string, kilobytes: number): Promise<void> {
  const line = `${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'x'.repeat(1_000) } } } })}\n`;
  for (let count = 0; count < kilobytes; count += 1)
    if (!process.stdout.write(line)) await new Promise((resolve) => process.stdout.once('drain', resolve));
}

/** One line, as long as nobody could want it. */
async function endless(kilobytes: number): Promise<void> {
  const piece = 'x'.repeat(100_000);
  for (let written = 0; written < kilobytes; written += 100)
    if (!process.stdout.write(piece)) await new Promise((resolve) => process.stdout.once('drain', resolve));
  process.stdout.write('\n');
}

async function ask(id: string, method: string, params: Json): Promise<string> {
  const { result, error } = await request(method, { sessionId: id, ...params });
  return error ? `error ${error.code} ${error.message}` : JSON.stringify(result);
}
