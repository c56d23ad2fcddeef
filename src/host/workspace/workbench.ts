// What the client behind a message provides to agents: its unsaved files, terminals and tool
// servers. In memory only.
import type { MessageId, SessionId, ToolId } from '../../model/event.ts';
import type { Clock, FileProblem, Files, ShellCommand, ShellEnd } from '../ports.ts';

/**
 * A method that is present is a capability. `gone` means that the client has disconnected
 * and nothing was done.
 */
export interface Workbench {
  /**
   * The client's text of a file, saved or not; undefined if the client does not know it, and a problem if it
   * may have another text than the disk and does not say.
   */
  readText?(path: string): Promise<string | FileProblem | undefined>;
  writeText?(path: string, text: string): Promise<FileProblem | 'gone' | undefined>;
  /** The content at a URI that only the client can read; undefined if it cannot. */
  readLink?(uri: string): Promise<string | undefined>;
  /** Runs a command in a terminal of the client, which shows it with the call. */
  run?(command: ShellCommand, tool: ToolId): Promise<ShellEnd | 'gone'>;
  /**
   * Set if the client compares messages one by one, as ECA's integration suite does: the pieces of an answer
   * stay as the provider sent them, and a turn ends after its title.
   */
  readonly fixedOrder?: true;
}

export class Workbenches {
  readonly #lent = new Map<MessageId, Workbench>();
  readonly #attached = new Map<SessionId, Set<Workbench>>();

  /** Provides the bench until the returned function is called. */
  lend(message: MessageId, bench: Workbench): () => void {
    this.#lent.set(message, bench);
    return () => void this.#lent.delete(message);
  }

  /**
   * Provides the unsaved files of a client that has the session open, until the returned function is called.
   */
  attach(session: SessionId, bench: Workbench): () => void {
    const benches = this.#attached.get(session) ?? new Set();
    this.#attached.set(session, benches.add(bench));
    return () => {
      benches.delete(bench);
      if (benches.size === 0 && this.#attached.get(session) === benches) this.#attached.delete(session);
    };
  }

  /** Whether the client behind a message, or one that has the session open, provides anything. */
  provides(message: MessageId, session: SessionId): boolean {
    const { fixedOrder: _, ...lent } = this.#lent.get(message) ?? {};
    return Object.keys(lent).length > 0 || this.#attached.has(session);
  }

  /**
   * The bench of the client behind a message. Files are read from whichever attached editor has them unsaved.
   */
  around(message: MessageId, session: SessionId, { files, clock }: WorkbenchPorts): Workbench | undefined {
    const own = this.#lent.get(message);
    const others = [...(this.#attached.get(session) ?? [])].filter(
      (bench) => bench !== own && 'readText' in bench,
    );
    return others.length === 0 || !files ? own : combined(own ?? {}, others, { files, clock });
  }
}

interface WorkbenchPorts {
  /** The disk; needed to find out which files are unsaved. */
  readonly files?: Pick<Files, 'readText'> | undefined;
  readonly clock: Clock;
}

/** How long to wait for an editor's answer, in milliseconds. */
const answerTimeout = 2_000;

const sizeLimit = 10_000_000;

function combined(
  own: Workbench,
  others: readonly Workbench[],
  { files, clock }: { readonly files: Pick<Files, 'readText'>; readonly clock: Clock },
): Workbench {
  const unsaved = async (
    path: string,
  ): Promise<{ readonly bench: Workbench; readonly text: string | FileProblem } | undefined> => {
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
    recall = clock.after(answerTimeout, () => resolve(undefined));
  });
  return Promise.race([work, late]).finally(recall);
}

/**
 * A tool server that a client adds to its session. Variables and headers hold secrets, so it is never logged.
 */
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
  /** Runs in the client, which forwards the messages; `key` identifies it. */
  | {
      readonly type: 'client';
      readonly name: string;
      readonly key: string;
      readonly open: (listener: ChannelListener) => ServerChannel;
    };

/** A channel for the messages of a tool server; the content is opaque. */
export interface ServerChannel {
  send(message: ChannelMessage): void;
  close(): void;
}

export interface ChannelListener {
  message(message: ChannelMessage): void;
  /** No more messages will come. */
  closed(why: string): void;
}

export interface ChannelMessage {
  readonly id?: string | number | undefined;
  readonly method?: string | undefined;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string } | undefined;
}

/** The tool servers that clients add to sessions. */
export class ClientServers {
  readonly #servers = new Map<SessionId, readonly ToolServer[]>();

  /** Replaces the servers of the session; an empty list changes nothing. */
  set(session: SessionId, servers: readonly ToolServer[]): void {
    if (servers.length > 0) this.#servers.set(session, servers);
  }

  of(session: SessionId): readonly ToolServer[] {
    return this.#servers.get(session) ?? [];
  }

  forget(session: SessionId): void {
    this.#servers.delete(session);
  }
}
