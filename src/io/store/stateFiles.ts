// States of long sessions, a file each, so that opening one does not read its whole log. All of it is derived
// from the log: what is missing, damaged or of another version is passed over, and made again.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextBeat } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { StoredState, StoredStates } from '../../host/session/logStore.ts';
import { isRecord } from '../../base/isRecord.ts';
import type { ChatId, SessionId } from '../../model/event.ts';
import { stateFormat } from '../../model/state.ts';
import type { Chat, EndedTurn, State } from '../../model/state.ts';

export interface StateFilesOptions {
  readonly directory: string;
  /** False for a session that is removed or damaged. */
  readonly isWanted: (session: SessionId) => boolean;
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

  async read(session: SessionId): Promise<StoredState | undefined> {
    const name = nameOf(session);
    if (!this.#known().has(name) || !this.#options.isWanted(session)) return undefined;
    const bytes = await readFile(this.#path(name)).catch(() => undefined);
    const stored = bytes && (await decode(bytes, session));
    if (!stored) void this.remove(session);
    return stored;
  }

  /** Without the file the log is read. */
  write(stored: StoredState): Promise<void> {
    return this.#next(`storing the state of session ${stored.state.id}`, () => this.#write(stored));
  }

  /** Nothing is left also of a state that is being written. */
  remove(session: SessionId): Promise<void> {
    return this.#next(`removing the state of session ${session}`, async () => {
      const name = nameOf(session);
      if (this.#known().delete(name)) await rm(this.#path(name), { force: true });
    });
  }

  /** Removes the states of all other sessions. */
  keepOnly(sessions: readonly SessionId[]): Promise<void> {
    return this.#next('removing the states of sessions that are gone', async () => {
      if (this.#known().size === 0) return;
      const wanted = new Set(sessions.map(nameOf));
      for (const name of this.#known())
        if (!wanted.has(name)) {
          this.#known().delete(name);
          await rm(this.#path(name), { force: true });
        }
    });
  }

  /** Ends an unfinished write, too. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writing;
  }

  /** Changes the files one after the other. Never rejects. */
  #next(about: string, change: () => Promise<void>): Promise<void> {
    this.#writing = this.#writing.then(change).catch((error: unknown) => this.#options.report(error, about));
    return this.#writing;
  }

  async #write(stored: StoredState): Promise<void> {
    if (!this.#goesOn(stored)) return;
    const name = nameOf(stored.state.id);
    const draft = this.#path(`${name}${draftEnd}`);
    mkdirSync(this.#options.directory, { recursive: true, mode: 0o700 });
    const known = this.#known();
    try {
      const file = await open(draft, 'w', 0o600);
      try {
        if (!(await this.#fill(file, stored))) return;
      } finally {
        await file.close();
      }
      await rename(draft, this.#path(name));
      known.add(name);
      await this.#limit();
    } finally {
      await rm(draft, { force: true });
    }
  }

  #goesOn({ state }: StoredState): boolean {
    return !this.#isClosed && this.#options.isWanted(state.id);
  }

  /** False if the store was closed or the session removed meanwhile. */
  async #fill(file: FileHandle, stored: StoredState): Promise<boolean> {
    let lines = 0;
    for (const line of linesOf(stored)) {
      if (!this.#goesOn(stored)) return false;
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
    this.#names ??= this.#found();
    return this.#names;
  }

  /** What a killed host has begun to write goes. */
  #found(): Set<string> {
    const names = namesIn(this.#options.directory);
    const drafts = names.filter((name) => name.endsWith(draftEnd));
    for (const draft of drafts)
      void this.#next('removing an unfinished state', () => rm(this.#path(draft), { force: true }));
    return new Set(names.filter((name) => !drafts.includes(name)));
  }

  #path(name: string): string {
    return join(this.#options.directory, name);
  }
}

/** A folder that cannot be read has none: the logs are read. */
function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** An id may have any characters. */
function nameOf(session: SessionId): string {
  return createHash('sha256').update(session).digest('hex').slice(0, 32);
}

/** What the file is about, the state without its turns, and the turns of each chat in pieces. */
function* linesOf({ state, at }: StoredState): Generator<string> {
  yield JSON.stringify({ format: stateFormat, session: state.id, at });
  const chats = Object.entries(state.chats).map(([id, chat]): [ChatId, Chat] => [id, { ...chat, turns: [] }]);
  yield JSON.stringify({ ...state, chats: Object.fromEntries(chats) });
  for (const [chat, { turns }] of Object.entries(state.chats)) {
    let texts: string[] = [];
    let letters = 0;
    for (const [index, turn] of turns.entries()) {
      const text = JSON.stringify(turn);
      texts.push(text);
      letters += text.length;
      if (letters < lineLength && index < turns.length - 1) continue;
      yield `{"chat":${JSON.stringify(chat)},"turns":[${texts.join(',')}]}`;
      [texts, letters] = [[], 0];
    }
  }
}

function signed(line: string): string {
  return `${crc32(line).toString(16)} ${line}\n`;
}

/** Undefined if the file is not whole, or is about something else. */
async function decode(bytes: Buffer, session: SessionId): Promise<StoredState | undefined> {
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
  return { state: withTurns(state as State, turns as readonly TurnsLine[]), at: Number(about['at']) };
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
