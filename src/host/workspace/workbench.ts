// What the client behind a message lends to agents that work on it: its unsaved texts, its terminals, its tool servers. In memory only.
import type { MessageId, SessionId, ToolId } from '../../model/event.ts';
import type { Clock, FileProblem, Files, ShellCommand, ShellEnd } from '../ports.ts';

/** The presence of a method is the capability. `gone` means that the client has left and nothing was done. */
export interface Workbench {
  /** The text as the client has it, saved or not; undefined where it cannot tell. */
  readText?(path: string): Promise<string | undefined>;
  writeText?(path: string, text: string): Promise<FileProblem | 'gone' | undefined>;
  /** What stands at an address that only the client knows; undefined where it does not tell. */
  readLink?(uri: string): Promise<string | undefined>;
  /** Runs a command in a terminal of the client, shown with the call. */
  run?(command: ShellCommand, tool: ToolId): Promise<ShellEnd | 'gone'>;
}

export class Workbenches {
  readonly #lent = new Map<MessageId, Workbench>();
  readonly #attached = new Map<SessionId, Set<Workbench>>();

  /** Lends until the returned function is called. */
  lend(message: MessageId, bench: Workbench): () => void {
    this.#lent.set(message, bench);
    return () => void this.#lent.delete(message);
  }

  /** What a client that has a session open lends to whoever works there, until the returned function is called: texts that it has not saved. */
  attach(session: SessionId, bench: Workbench): () => void {
    const benches = this.#attached.get(session) ?? new Set();
    this.#attached.set(session, benches.add(bench));
    return () => {
      benches.delete(bench);
      if (benches.size === 0 && this.#attached.get(session) === benches) this.#attached.delete(session);
    };
  }

  /** The bench of the client behind a message; texts are those of whichever attached editor has them unsaved. */
  around(message: MessageId, session: SessionId, { files, clock }: Surroundings): Workbench | undefined {
    const own = this.#lent.get(message);
    const others = [...(this.#attached.get(session) ?? [])].filter(
      (bench) => bench !== own && 'readText' in bench,
    );
    return others.length === 0 || !files ? own : together(own ?? {}, others, { files, clock });
  }
}

interface Surroundings {
  /** The disk, without which nobody can tell what is not saved. */
  readonly files?: Pick<Files, 'readText'> | undefined;
  readonly clock: Clock;
}

/** An editor that does not answer is not waited for beyond this, in milliseconds. */
const patience = 2_000;

const sizeLimit = 10_000_000;

function together(
  own: Workbench,
  others: readonly Workbench[],
  { files, clock }: { readonly files: Pick<Files, 'readText'>; readonly clock: Clock },
): Workbench {
  const unsaved = async (
    path: string,
  ): Promise<{ readonly bench: Workbench; readonly text: string } | undefined> => {
    const disk = await files.readText(path, sizeLimit);
    for (const bench of [own, ...others]) {
      const text = await (bench === own ? own.readText?.(path) : within(clock, bench.readText?.(path)));
      if (text !== undefined && !('text' in disk && disk.text === text)) return { bench, text };
    }
    return undefined;
  };
  return {
    ...own,
    readText: async (path) => (await unsaved(path))?.text,
    writeText: async (path, text) => {
      const holder = (await unsaved(path))?.bench;
      const done = holder?.writeText ? await holder.writeText(path, text) : 'gone';
      return done === 'gone' && holder !== own ? (own.writeText?.(path, text) ?? 'gone') : done;
    },
  };
}

async function within<T>(clock: Clock, work: Promise<T> | undefined): Promise<T | undefined> {
  let recall = () => {};
  const late = new Promise<undefined>((resolve) => {
    recall = clock.after(patience, () => resolve(undefined));
  });
  return Promise.race([work, late]).finally(recall);
}

/** A server of tools that a client wants its session to have. Variables and headers hold secrets, so none of it enters the log. */
export type ToolServer =
  | {
      readonly type: 'process';
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly env: { readonly [name: string]: string };
    }
  | {
      readonly type: 'http' | 'sse';
      readonly name: string;
      readonly url: string;
      readonly headers: { readonly [name: string]: string };
    }
  /** Kept by the client itself, which passes the messages on; `key` tells one from all others. */
  | {
      readonly type: 'client';
      readonly name: string;
      readonly key: string;
      readonly open: (hear: ChannelListener) => Channel;
    };

/** A way for messages to and from a server, whose words nobody on the way understands. */
export interface Channel {
  send(message: ChannelMessage): void;
  close(): void;
}

export interface ChannelListener {
  message(message: ChannelMessage): void;
  /** Nothing will come any more. */
  closed(why: string): void;
}

export interface ChannelMessage {
  readonly id?: string | number | undefined;
  readonly method?: string | undefined;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string } | undefined;
}

export class GivenServers {
  readonly #given = new Map<SessionId, readonly ToolServer[]>();

  /** The newest wish counts; a client that names none changes nothing for the others. */
  give(session: SessionId, servers: readonly ToolServer[]): void {
    if (servers.length > 0) this.#given.set(session, servers);
  }

  of(session: SessionId): readonly ToolServer[] {
    return this.#given.get(session) ?? [];
  }

  forget(session: SessionId): void {
    this.#given.delete(session);
  }
}
