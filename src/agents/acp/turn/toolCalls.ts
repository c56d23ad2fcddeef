// The tool calls of one turn: merges the updates of each call and reports them in the order
// that the log requires.
import { present } from '../../../base/present.ts';
import type { Verdict } from '../../../host/agent.ts';
import type { AgentReport } from '../../../model/command.ts';
import type { Content, SandboxUse, ToolResult, Json } from '../../../model/event.ts';
import type { ReadToolCall } from '../../../protocols/acp/v1/toolCallSchema.ts';
import type { FileObserver, WrittenFile } from '../../../host/workspace/fileObserver.ts';
import { argumentsIn, kindOf, newCall, pathsOf, wholePath } from './toolCall.ts';
import type { CallApproval, AgentToolCall } from './toolCall.ts';
import { errorOf, finalContent, runningContent } from './content.ts';
import type { TerminalLookup } from './content.ts';

export interface ToolCallPorts {
  /** The agent's working directory, for relative paths. */
  readonly cwd: string;
  report(report: AgentReport): void;
  readonly terminal: TerminalLookup;
  /** How calls run that the agent runs itself. */
  readonly sandbox?: SandboxUse | undefined;
  /** The calls that the turn had before the agent was restarted. */
  readonly earlier?: ReadonlySet<string>;
  /** What the host itself sees of the files. */
  readonly observer?: FileObserver;
  /** Calls back with the output of a terminal, starting with its earlier output. */
  follow(terminal: string, print: (text: string) => void): void;
}

/** How much terminal output is shown while a call runs; the rest is shown when it ends. */
const liveLimit = 200_000;

export class ToolCalls {
  readonly #place: ToolCallPorts;
  /** The newest call under each of the agent's ids. */
  readonly #calls = new Map<string, AgentToolCall>();
  /** The calls that are over and whose changes are still looked at. */
  readonly #ending = new Set<Promise<void>>();
  #count = 0;
  /** Our ids of all its calls. */
  readonly #used = new Set<string>();

  constructor(place: ToolCallPorts) {
    this.#place = place;
  }

  /** The ids that the agent has used in this turn. */
  get ids(): ReadonlySet<string> {
    return new Set(this.#calls.keys());
  }

  /** The running calls. */
  running(): readonly AgentToolCall[] {
    return [...this.#calls.values()].filter(({ progress: { phase } }) => phase === 'running');
  }

  /** The calls that are not over and about which nobody is asked. */
  open(): readonly AgentToolCall[] {
    return [...this.#calls.values()].filter(
      ({ progress: { phase } }) => phase === 'running' || phase === 'preparing',
    );
  }

  /** Whether the agent has run a command in this turn. */
  get hasCommand(): boolean {
    return [...this.#calls.values()].some(({ kind, terminals }) => kind === 'execute' || terminals.size > 0);
  }

  /** A user or a rule decides about a change that the call makes through us. */
  asksToWrite(call: AgentToolCall, change: WrittenFile): void {
    call.progress.phase = 'asking';
    this.#ready(call, { preview: [change] });
  }

  /** What the log keeps of a write that belongs to none of these calls. */
  async written(edit: WrittenFile): Promise<readonly Content[]> {
    return (await this.#place.observer?.written(edit)) ?? [edit];
  }

  /** A call writes a file through us. Where that fails, the returned function says that it did not. */
  writes(call: AgentToolCall, edit: WrittenFile): () => void {
    const { written } = call.files;
    const earlier = written.get(edit.path);
    // Between two writes of the call somebody else may have changed the file.
    const isForeign = earlier !== undefined && (earlier.unattributed || earlier.after !== edit.before);
    written.set(edit.path, {
      ...edit,
      before: earlier ? earlier.before : edit.before,
      ...(isForeign ? { unattributed: true } : {}),
    });
    this.#show(call);
    return () => {
      if (earlier) written.set(edit.path, earlier);
      else written.delete(edit.path);
      this.#show(call);
    };
  }

  /** Resolves when the results of all calls are in the log. */
  async settled(): Promise<void> {
    await Promise.all(this.#ending);
  }

  /** The agent ends its turn, so a call that wrote through us is over, too. */
  async endWriters(): Promise<void> {
    for (const call of this.#calls.values())
      if (call.progress.phase !== 'ended' && call.files.written.size > 0) this.#end(call, 'done');
    await this.settled();
  }

  /** The newest call of ours under an id of the agent. */
  toolOf(id: string): string | undefined {
    return this.#calls.get(id)?.tool;
  }

  /** Handles a `tool_call` or an `update`; an update may be the first message about its call. */
  take(said: ReadToolCall, kind: 'call' | 'update'): void {
    const known = this.#calls.get(said.toolCallId);
    if (known?.progress.phase === 'ended' && (kind === 'update' || over(said)))
      return this.#late(known, said);
    const call = known && known.progress.phase !== 'ended' ? known : this.#begin(said);
    this.#describe(call, said);
    this.#look(call);
    if (said.status === 'in_progress' && call.progress.phase === 'preparing') this.#run(call);
    this.#fill(call, said);
    if (over(said)) this.#end(call, said.status === 'completed' ? 'done' : 'failed');
  }

  /** The agent requests permission for a call; the details of the request update the call. */
  asked(said: ReadToolCall): AgentToolCall {
    const known = this.#calls.get(said.toolCallId);
    const call = known && known.progress.phase !== 'ended' ? known : this.#begin(said);
    this.#describe(call, said);
    this.#look(call);
    call.progress.phase = 'asking';
    this.#fill(call, said);
    return call;
  }

  /** Somebody else may have changed the files while a user was asked. */
  async lookAgain(call: AgentToolCall): Promise<void> {
    const { observer } = this.#place;
    if (!observer) return;
    const paths = [...call.files.seen.keys()];
    for (const path of paths) call.files.seen.set(path, observer.look(path));
    await Promise.all(call.files.seen.values());
  }

  /** The decision is already in the log. */
  decided(call: AgentToolCall, verdict: Verdict, asked: CallApproval): void {
    if (call.progress.phase !== 'asking') return;
    call.progress.phase = verdict.allowed ? 'running' : 'ended';
    call.progress.denied = !verdict.allowed;
    // What is allowed because the agent is confined covers nothing that the host does for it.
    const covers = verdict.allowed && !verdict.confined;
    call.approval = covers ? { ...asked, safeGit: verdict.safeGit === true } : undefined;
    if (!verdict.allowed) return;
    if (this.#unpreview(call)) this.#show(call);
    for (const terminal of call.terminals) this.#follow(call, terminal);
  }

  #begin(said: ReadToolCall): AgentToolCall {
    const call = newCall(said, this.#freeId(said.toolCallId));
    this.#calls.set(said.toolCallId, call);
    this.#place.report({
      kind: 'tool.started',
      tool: call.tool,
      name: call.name,
      title: call.title,
      toolKind: call.kind,
      source: 'agent',
    });
    return call;
  }

  /** An agent may use an id twice, for example after it was restarted in this turn. */
  #freeId(id: string): string {
    this.#count += 1;
    let free = id;
    for (let count = this.#count; this.#used.has(free) || this.#place.earlier?.has(free); count += 1)
      free = `${id}~${count}`;
    this.#used.add(free);
    return free;
  }

  /** Absent members keep their values; each difference is reported once. */
  #describe(call: AgentToolCall, said: ReadToolCall): void {
    const title = said.title ?? call.title;
    const kind = said.kind === undefined ? call.kind : kindOf(said.kind);
    const changed =
      title !== call.title ||
      kind !== call.kind ||
      said.rawInput !== undefined ||
      said.locations !== undefined;
    Object.assign(call, {
      title,
      kind,
      input: said.rawInput ?? call.input,
      output: said.rawOutput ?? call.output,
      locations: said.locations ?? call.locations,
    });
    if (said.rawInput !== undefined) keepInput(call, said.rawInput);
    if (!changed) return;
    const locations = said.locations?.map(({ path, line }) => ({
      path,
      ...(line === undefined ? {} : { line }),
    }));
    this.#ready(call, locations ? { locations } : {});
  }

  /**
   * A list that is there replaces the old one. Changes that are still to come, and all that a human is asked
   * about, are a preview.
   */
  #fill(call: AgentToolCall, said: ReadToolCall): void {
    if (said.content === undefined) return;
    const { cwd } = this.#place;
    call.content = said.content.map((item) =>
      item.type === 'diff' ? { ...item, path: wholePath(item.path, call.locations, cwd) } : item,
    );
    for (const item of call.content) {
      if (item.type === 'terminal') this.#attach(call, item.terminalId);
    }
    this.#look(call);
    if (over(said)) return;
    if (call.input === undefined) this.#readInput(call);
    const ahead =
      call.progress.phase === 'asking' ||
      (call.progress.phase === 'preparing' && call.content.every(({ type }) => type === 'diff'));
    if (!ahead) return this.#show(call);
    call.progress.previewed = true;
    this.#ready(call, { preview: runningContent(call.content, this.#place.terminal) });
  }

  /** Looks at the files that the call may change as soon as it names them. */
  #look(call: AgentToolCall): void {
    const { observer } = this.#place;
    if (!observer) return;
    const changed = (call.content ?? []).flatMap((item) => (item.type === 'diff' ? [item.path] : []));
    for (const path of changingKinds.has(call.kind) ? pathsOf(call) : changed)
      if (!call.files.seen.has(path) && call.files.seen.size < mostPaths)
        call.files.seen.set(path, observer.look(path));
  }

  /** Some agents show the arguments as text while they come, and ask before they tell them properly. */
  #readInput(call: AgentToolCall): void {
    const input = call.content?.length === 1 ? argumentsIn(call.content[0]) : undefined;
    if (input === undefined) return;
    call.input = input;
    this.#ready(call, {});
  }

  /**
   * Content that the user saw is stored with the call; changes remain a preview because they look the same
   * afterwards.
   */
  #unpreview(call: AgentToolCall): boolean {
    if (!call.progress.previewed) return false;
    call.progress.previewed = false;
    const changes = (call.content ?? []).filter(({ type }) => type === 'diff');
    if (changes.length === call.content?.length) return false;
    this.#ready(call, { preview: runningContent(changes, this.#place.terminal) });
    return true;
  }

  #ready(
    { tool, title, kind: toolKind, input = {} }: AgentToolCall,
    more: Partial<Pick<Extract<AgentReport, { readonly kind: 'tool.ready' }>, 'locations' | 'preview'>>,
  ): void {
    this.#place.report({ kind: 'tool.ready', tool, input, title, toolKind, ...more });
  }

  #run(call: AgentToolCall): void {
    call.progress.phase = 'running';
    this.#place.report({
      kind: 'tool.running',
      tool: call.tool,
      basis: { how: 'agent' },
      ...present({ sandbox: this.#place.sandbox }),
    });
    for (const terminal of call.terminals) this.#follow(call, terminal);
  }

  #show(call: AgentToolCall): void {
    this.#place.report({
      kind: 'tool.output',
      tool: call.tool,
      output: {
        replace: withWritten(runningContent(call.content ?? [], this.#place.terminal), call.files.written),
      },
    });
  }

  #end(call: AgentToolCall, status: 'done' | 'failed'): void {
    this.#unpreview(call);
    const content = finalContent(call.content ?? [], this.#place.terminal);
    call.progress.phase = 'ended';
    const { observer } = this.#place;
    if (!observer || call.files.seen.size + call.files.written.size === 0)
      return this.#tellEnd(call, status, withWritten(content, call.files.written));
    const ending = observer
      .observed(content, call.files)
      .then((observed) => this.#tellEnd(call, status, observed))
      .finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  #tellEnd(call: AgentToolCall, status: 'done' | 'failed', content: readonly Content[]): void {
    const raw = call.output === undefined ? {} : { raw: call.output };
    const result: ToolResult =
      status === 'done'
        ? { status, content, ...raw }
        : { status, content, error: errorOf(call.content ?? [], call.output), ...raw };
    this.#place.report({ kind: 'tool.ended', tool: call.tool, result });
  }

  #attach(call: AgentToolCall, terminal: string): void {
    if (call.terminals.has(terminal)) return;
    call.terminals.add(terminal);
    if (call.progress.phase === 'running') this.#follow(call, terminal);
  }

  #follow(call: AgentToolCall, terminal: string): void {
    this.#place.follow(terminal, (text) => {
      const room = liveLimit - call.progress.printed;
      if (call.progress.phase !== 'running' || room <= 0 || text === '') return;
      call.progress.printed += text.length;
      this.#place.report({ kind: 'tool.output', tool: call.tool, output: { append: text.slice(0, room) } });
    });
  }

  /**
   * An update after the end of a call changes nothing; warns if a refused call was done after all. Some
   * agents report a refused call as running, and then as failed.
   */
  #late(call: AgentToolCall, { status }: ReadToolCall): void {
    if (call.progress.denied && status === 'completed') {
      call.progress.denied = false;
      this.#place.report({
        kind: 'notice.added',
        level: 'warning',
        text: `The agent reports that "${call.title}" is done, although it was denied.`,
      });
    }
  }
}

/** The kinds of calls that may change the files they name; other calls do if they show a diff. */
const changingKinds: ReadonlySet<string> = new Set(['edit', 'delete', 'move', 'other']);

/** A call that names more files is not looked at further. */
const mostPaths = 200;

/** Writes through Parley are more reliable than the report of the agent. */
function withWritten(
  content: readonly Content[],
  written: AgentToolCall['files']['written'],
): readonly Content[] {
  return [...content.filter((item) => item.type !== 'edit' || !written.has(item.path)), ...written.values()];
}

function over({ status }: ReadToolCall): boolean {
  return status === 'completed' || status === 'failed';
}

/** Arguments that arrive piece by piece replace each other; only the last few are kept. */
function keepInput({ files: { inputs } }: AgentToolCall, input: Json): void {
  inputs.push(input);
  if (inputs.length > 4) inputs.shift();
}
