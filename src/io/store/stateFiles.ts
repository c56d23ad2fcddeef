// States of long sessions, a file each, so that opening one does not read its whole log. All of it is derived
// from the log: what is missing, damaged or of another version is passed over, and made again.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextBeat } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { StoredStates } from '../../host/session/logStore.ts';
import { isRecord } from '../../base/isRecord.ts';
import { errorCode } from '../../base/errorText.ts';
import type { ChatId, SessionId } from '../../model/event.ts';
import { stateFormat } from '../../model/state.ts';
import type { Chat, EndedTurn, State } from '../../model/state.ts';

export interface StateFilesOptions {
  readonly directory: string;
  readonly report: (problem: unknown, about: string) => void;
}

/** What all files together may have, in bytes. The ones that were written first go first. */
const mostBytes = 512 * 1024 * 1024;

/** Turns are written and read in lines of about this many characters, with other work in between. */
const lineLength = 200_000;

const draftEnd = '.new';

export class StateFiles implements StoredStates {
  readonly #options: StateFilesOptions;
  /** The names of the files; undefined until they are needed. */
  #names: Set<string> | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: StateFilesOptions) {
    this.#options = options;
  }

  async read(session: SessionId): Promise<State | undefined> {
    const name = nameOf(session);
    if (!this.#known().has(name)) return undefined;
    const bytes = await readFile(this.#path(name)).catch(() => undefined);
    const state = bytes && (await decode(bytes, session));
    if (!state) await this.remove(session);
    return state;
  }

  /** Writes one after the other. Never rejects: without the file the log is read. */
  write(state: State): Promise<void> {
    this.#writing = this.#writing
      .then(() => this.#write(state))
      .catch((error: unknown) => this.#options.report(error, `storing the state of session ${state.id}`));
    return this.#writing;
  }

  async remove(session: SessionId): Promise<void> {
    const name = nameOf(session);
    if (!this.#known().delete(name)) return;
    await rm(this.#path(name), { force: true }).catch((error: unknown) =>
      this.#options.report(error, `removing the state of session ${session}`),
    );
  }

  /** Ends an unfinished write, too. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writing;
  }

  async #write(state: State): Promise<void> {
    if (this.#isClosed) return;
    const name = nameOf(state.id);
    const draft = this.#path(`${name}${draftEnd}`);
    mkdirSync(this.#options.directory, { recursive: true, mode: 0o700 });
    try {
      const file = await open(draft, 'w', 0o600);
      try {
        if (!(await this.#fill(file, state))) return;
      } finally {
        await file.close();
      }
      await rename(draft, this.#path(name));
      this.#known().add(name);
      await this.#limit();
    } finally {
      await rm(draft, { force: true });
    }
  }

  /** False if the store was closed meanwhile. */
  async #fill(file: FileHandle, state: State): Promise<boolean> {
    let lines = 0;
    for (const line of linesOf(state)) {
      if (this.#isClosed) return false;
      await file.write(signed(line));
      lines += 1;
    }
    await file.write(signed(JSON.stringify({ lines })));
    return true;
  }

  async #limit(): Promise<void> {
    const files = await Promise.all(
      [...this.#known()].map(async (name) => {
        const found = await stat(this.#path(name)).catch(() => undefined);
        return { name, size: found?.size ?? 0, at: found?.mtimeMs ?? 0 };
      }),
    );
    let bytes = 0;
    for (const { name, size } of files.toSorted((a, b) => b.at - a.at)) {
      bytes += size;
      if (bytes <= mostBytes) continue;
      this.#known().delete(name);
      await rm(this.#path(name), { force: true });
    }
  }

  #known(): Set<string> {
    this.#names ??= new Set(namesIn(this.#options.directory).filter((name) => !name.endsWith(draftEnd)));
    return this.#names;
  }

  #path(name: string): string {
    return join(this.#options.directory, name);
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}

/** An id may have any characters. */
function nameOf(session: SessionId): string {
  return createHash('sha256').update(session).digest('hex').slice(0, 32);
}

/** What the file is about, the state without its turns, and the turns of each chat in pieces. */
function* linesOf(state: State): Generator<string> {
  yield JSON.stringify({ format: stateFormat, session: state.id });
  const chats = Object.entries(state.chats).map(([id, chat]): [ChatId, Chat] => [id, { ...chat, turns: [] }]);
  yield JSON.stringify({ ...state, chats: Object.fromEntries(chats) });
  for (const [chat, { turns }] of Object.entries(state.chats)) {
    let texts: string[] = [];
    let letters = 0;
    for (const [at, turn] of turns.entries()) {
      const text = JSON.stringify(turn);
      texts.push(text);
      letters += text.length;
      if (letters < lineLength && at < turns.length - 1) continue;
      yield `{"chat":${JSON.stringify(chat)},"turns":[${texts.join(',')}]}`;
      [texts, letters] = [[], 0];
    }
  }
}

function signed(line: string): string {
  return `${crc32(line).toString(16)} ${line}\n`;
}

/** Undefined if the file is not whole, or is about something else. */
async function decode(bytes: Buffer, session: SessionId): Promise<State | undefined> {
  const lines: unknown[] = [];
  for (let from = 0, end = 0; from < bytes.length; from = end + 1) {
    end = bytes.indexOf('\n', from);
    const line = lineIn(bytes.subarray(from, Math.max(from, end)));
    if (line === undefined) return undefined;
    lines.push(line);
    await nextBeat();
  }
  const end = lines.pop();
  const [about, state, ...turns] = lines;
  const isWhole = isRecord(end) && end['lines'] === lines.length;
  if (!isWhole || !isRecord(about) || about['format'] !== stateFormat || about['session'] !== session)
    return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the checksums have vouched for it
  return withTurns(state as State, turns as readonly TurnsLine[]);
}

/** The content of a line whose checksum is right. */
function lineIn(bytes: Buffer): unknown {
  const space = bytes.indexOf(' ');
  const text = bytes.subarray(space + 1);
  if (space < 1 || bytes.toString('latin1', 0, space) !== crc32(text).toString(16)) return undefined;
  try {
    return JSON.parse(text.toString('utf8'));
  } catch {
    return undefined;
  }
}

interface TurnsLine {
  readonly chat: ChatId;
  readonly turns: readonly EndedTurn[];
}

function withTurns(state: State, lines: readonly TurnsLine[]): State {
  const chats = Object.entries(state.chats).map(([id, chat]): [ChatId, Chat] => {
    const turns = lines.filter((line) => line.chat === id).flatMap((line) => line.turns);
    return [id, { ...chat, turns }];
  });
  return { ...state, chats: Object.fromEntries(chats) };
}
