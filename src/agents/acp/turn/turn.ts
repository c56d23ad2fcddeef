// One turn of an agent: its updates go to the log, its requests to policy and people, and a stop ends it.
import { onAbort } from '../../../base/waiting.ts';
import type { TurnContext } from '../../../host/agent.ts';
import type { Clock, Files, Ids } from '../../../host/ports.ts';
import type { WorkspaceSnapshots } from '../../../host/workspace/workspaceSnapshots.ts';
import type { AgentReport } from '../../../model/command.ts';
import type { Content, Outcome, Problem, SandboxUse } from '../../../model/event.ts';
import { promptAnswer } from '../../../protocols/acp/v1/answerSchema.ts';
import type { PromptAnswer } from '../../../protocols/acp/v1/answerSchema.ts';
import { permissionParams } from '../../../protocols/acp/v1/clientSchema.ts';
import { authRequired, resourceNotFound } from '../../../protocols/acp/v1/methods.ts';
import type { ReadUpdate } from '../../../protocols/acp/v1/updateSchema.ts';
import { RpcError } from '../../../rpc/rpcError.ts';
import type { Elicitations } from '../requests/openElicitations.ts';
import { guardedApproval, runGuarded } from '../requests/approvalGuard.ts';
import type { ApprovedRun, GuardedAction } from '../requests/approvalGuard.ts';
import type { AgentProcess } from '../process/agentProcess.ts';
import { FileObserver } from '../../../host/workspace/fileObserver.ts';
import { reportChanges } from '../../../host/workspace/reportChanges.ts';
import { outcomeOf, reportedUsage, failureText } from './outcome.ts';
import { cancelledAnswer, permissionAnswer, toolRequest } from '../requests/permissions.ts';
import type { ElicitationResponse, PermissionResponse } from '../../../protocols/acp/v1/messages.ts';
import type { AgentProgram, AgentTimes } from '../process/program.ts';
import { readAs } from '../requests/readAs.ts';
import { silenceOf, warnOfSilence } from '../process/silenceWatch.ts';
import type { AgentTerminals } from '../requests/terminals.ts';
import { belongsToTurn, TranscriptUpdates } from './updates.ts';

export interface TurnOptions {
  readonly context: TurnContext;
  readonly link: AgentProcess;
  readonly session: string;
  readonly program: AgentProgram;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: Files;
  readonly snapshots: WorkspaceSnapshots;
  readonly times: AgentTimes;
  readonly terminals: AgentTerminals;
  readonly elicitations: Elicitations;
  readonly costBefore: number;
}

/** Limit on what one turn may add to the log, in characters; an agent that exceeds it is broken. */
const budget = 64_000_000;
const reportCost = 100;

type End =
  | { readonly kind: 'answer'; readonly answer: unknown }
  | { readonly kind: 'error'; readonly error: unknown }
  | { readonly kind: 'given-up' };

export class AgentTurn {
  readonly #options: TurnOptions;
  readonly transcript: TranscriptUpdates;
  readonly #observer: FileObserver;
  readonly #terminalsBefore: ReadonlySet<string>;
  readonly #garbageBefore: number;
  /** The questions about one call are asked one after the other. */
  readonly #asking = new Map<string, Promise<unknown>>();
  /** The agent's requests that wait for a user. */
  #waiting = 0;
  /** Whether the agent has sent anything in this turn. */
  heard = false;
  /** Whether it requires a sign-in first, and has done nothing without one. */
  signedOut = false;
  /** Whether it does not know the conversation. */
  lost = false;
  /** Whether the agent still owes us the answer to the prompt. */
  unanswered = false;
  #spent = 0;
  /** The calls of the turn before it was the agent's. */
  readonly #earlier: number;
  /** How the agent's own calls run. */
  readonly #sandbox: SandboxUse;
  #flooded: Problem | undefined;
  #giveUp: () => void = () => {};

  constructor(options: TurnOptions) {
    const { context, program, ids, terminals, costBefore } = options;
    this.#options = options;
    const { files, snapshots } = options;
    const earlier = callsSoFar(context);
    this.#earlier = earlier.size;
    this.#observer = new FileObserver({ files, snapshots, roots: context.session.roots });
    this.#terminalsBefore = terminals.ids;
    this.#garbageBefore = options.link.dropped.garbage;
    const { confined } = options.link;
    this.#sandbox = confined ? { confined: true, network: confined.network } : context.workspace.outside();
    this.transcript = new TranscriptUpdates({
      ids,
      name: program.name,
      costBefore,
      cwd: context.session.roots[0] ?? '/',
      report: (report) => this.#report(report),
      terminal: (id) => terminals.view(id) ?? options.link.reported.view(id),
      follow: (id, print) => {
        terminals.follow(id, print);
        options.link.reported.follow(id, print);
      },
      observer: this.#observer,
      earlier,
      sandbox: this.#sandbox,
    });
  }

  get context(): TurnContext {
    return this.#options.context;
  }

  get pace(): AgentProcess['pace'] {
    return this.#options.link.pace;
  }

  take(update: ReadUpdate): void {
    // What describes the conversation is no answer to the prompt.
    if (belongsToTurn(update)) this.heard = true;
    if (!this.context.signal.aborted) this.transcript.take(update);
  }

  /** Sends the prompt and waits until the agent has answered, was given up, or has ended. */
  async run(prompt: () => readonly object[]): Promise<Outcome> {
    const { link, session, clock, times } = this.#options;
    await this.#observer.start(this.context.signal);
    // After a stop the host has not seen all files.
    if (this.context.signal.aborted) return { kind: 'cancelled' };
    const asked = link.request('session/prompt', { sessionId: session, prompt: prompt() });
    const end = await this.#watched(asked);
    this.unanswered = end.kind === 'given-up';
    if (end.kind === 'error') await this.transcript.calls.settled();
    if (end.kind !== 'answer') return this.#failure(end);
    // Updates that were in transit when the agent answered still belong to the turn.
    if (!this.context.signal.aborted)
      await new Promise<void>((resolve) => void clock.after(times.settle, resolve));
    await this.transcript.calls.settled();
    this.#tellGarbage();
    return this.#outcome(promptAnswer.parse(end.answer));
  }

  /** Follows an agent that works without a prompt until it is silent and waits for no user. */
  async follow(): Promise<Outcome> {
    const { link, clock, times } = this.#options;
    const { signal } = this.context;
    await this.#observer.start(signal);
    const quiet = async () => {
      do await silenceOf({ link, clock, milliseconds: times.wake });
      while (this.#waiting > 0);
    };
    const stopped = new Promise<void>((resolve) => {
      onAbort(signal, resolve);
    });
    const end = await this.#watched(Promise.race([quiet(), stopped]));
    await this.transcript.calls.settled();
    return end.kind === 'answer' && !signal.aborted ? { kind: 'completed' } : this.#failure(end);
  }

  /**
   * Ends the comparison of the workspace. What changed and belongs to no call is reported; after a stop it is
   * returned, because the turn has ended for everybody.
   */
  async finish(): Promise<readonly Content[]> {
    const { context, ids } = this.#options;
    try {
      if (!context.signal.aborted) await this.transcript.calls.endWriters();
      const changes = await this.#observer.unreported(new AbortController().signal);
      if (context.signal.aborted || this.#flooded) return changes;
      // Nobody can tell what the user or another program has changed meanwhile, so the titles say so.
      const title = this.transcript.calls.hasCommand
        ? 'Changed by the command, or by you meanwhile'
        : 'Changed without a report, or by you meanwhile';
      reportChanges(context, { tool: ids.next(), title, changes });
      return [];
    } finally {
      await this.#observer.close();
    }
  }

  async permission(params: unknown, signal: AbortSignal): Promise<PermissionResponse> {
    const { toolCall, options } = readAs(permissionParams, params);
    const said = toolCall ?? {
      toolCallId: this.#options.ids.next(),
      title: 'Undescribed tool call',
    };
    const before = this.#asking.get(said.toolCallId) ?? Promise.resolve();
    const answer = before.then(() => this.#waited(() => this.#askAbout(said, options, signal)));
    this.#asking.set(
      said.toolCallId,
      answer.catch(() => {}),
    );
    return answer;
  }

  /** Runs an action for the agent if it is approved. */
  async act<T>(
    action: GuardedAction,
    signal: AbortSignal,
    work: (how: ApprovedRun) => Promise<T>,
  ): Promise<T> {
    const { ids } = this.#options;
    return this.#waited(() =>
      runGuarded(
        action,
        { context: this.context, calls: this.transcript.calls, tool: ids.next(), signal },
        work,
      ),
    );
  }

  async elicitation(params: unknown, signal: AbortSignal): Promise<ElicitationResponse> {
    const { elicitations, program } = this.#options;
    return this.#waited(() =>
      elicitations.ask(params, {
        context: this.context,
        name: program.name,
        signal,
        toolOf: (id) => this.transcript.calls.toolOf(id),
      }),
    );
  }

  async #askAbout(
    said: Parameters<TranscriptUpdates['calls']['asked']>[0],
    options: Parameters<typeof permissionAnswer>[1],
    signal: AbortSignal,
  ): Promise<PermissionResponse> {
    if (this.context.signal.aborted) return cancelledAnswer;
    const call = this.transcript.calls.asked(said);
    // Look at the files before the call is allowed, because it may change them.
    await Promise.all(call.files.seen.values());
    const request = toolRequest(call, options, this.#sandbox);
    const asked = guardedApproval(call, request);
    const verdict = await this.context.approve(request, signal);
    if (this.context.signal.aborted) return cancelledAnswer;
    if (verdict.allowed) await this.transcript.calls.lookAgain(call);
    this.transcript.calls.decided(call, verdict, asked);
    return permissionAnswer(verdict, options);
  }

  async #waited<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting += 1;
    try {
      return await work();
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Waits for the work, watches for silence, and ends on a stop. */
  async #watched(work: Promise<unknown>): Promise<End> {
    const { context, link, clock, times } = this.#options;
    const givenUp = new Promise<End>((resolve) => {
      this.#giveUp = () => resolve({ kind: 'given-up' });
    });
    const hear = warnOfSilence({ link, clock, milliseconds: times.quiet }, (silence) => this.#warn(silence));
    let recall = () => {};
    const stop = () => {
      this.#cancel();
      recall = clock.after(times.cancel, this.#giveUp);
    };
    const leave = onAbort(context.signal, stop);
    try {
      const answered: Promise<End> = work.then(
        (answer) => ({ kind: 'answer', answer }),
        (error: unknown) => ({ kind: 'error', error }),
      );
      return await Promise.race([answered, givenUp]);
    } finally {
      leave();
      recall();
      hear();
    }
  }

  /** Asks the agent to stop and ends everything it started in this turn. Its open questions are cancelled. */
  #cancel(): void {
    const { link, session, terminals, clock, times } = this.#options;
    clock.after(times.cancel, link.pace.hurry());
    link.notify('session/cancel', { sessionId: session });
    void terminals.end(this.#terminalsBefore);
  }

  /** No warning about silence while the agent waits for a user. */
  #warn(milliseconds: number): void {
    if (this.#waiting > 0 || this.context.signal.aborted) return;
    this.transcript.notice(
      'warning',
      `${this.#options.program.name} has sent nothing for ${duration(milliseconds)}. It may still be ` +
        'working; stop the turn if it hangs.',
    );
  }

  /** Unreadable messages may have contained content, so the user is informed. */
  #tellGarbage(): void {
    const { link, program } = this.#options;
    const lines = link.dropped.garbage - this.#garbageBefore;
    if (lines > 0)
      this.transcript.notice(
        'warning',
        `${program.name} printed ${lines === 1 ? 'a line that is' : `${lines} lines that are`} not ` +
          `valid ACP; ${lines === 1 ? 'it was' : 'they were'} ignored.`,
      );
  }

  #report(report: AgentReport): void {
    if (this.context.signal.aborted || this.#flooded) return;
    this.#spent += reportCost + lengthOf(report);
    this.context.report(report);
    if (this.#spent > budget) this.#flood();
  }

  #flood(): void {
    const { program, clock, times } = this.#options;
    const message = `${program.name} sent more output than a turn can store and was stopped.`;
    this.context.report({ kind: 'notice.added', level: 'error', text: message });
    this.#flooded = { code: 'agent-flood', message };
    this.#cancel();
    clock.after(times.cancel, this.#giveUp);
  }

  #failure(end: End): Outcome {
    if (this.context.signal.aborted) return { kind: 'cancelled' };
    if (this.#flooded) return { kind: 'failed', problem: this.#flooded };
    const code = end.kind === 'error' && end.error instanceof RpcError ? end.error.code : undefined;
    this.lost = code === resourceNotFound;
    // What was only said may be said again; work is not done twice.
    this.signedOut = code === authRequired && callsSoFar(this.context).size === this.#earlier;
    const message = end.kind === 'error' ? failureText(end.error) : 'The agent did not answer.';
    return {
      kind: 'failed',
      problem: { code: this.#options.link.alive ? 'agent' : 'agent-crashed', message },
    };
  }

  #outcome(answer: PromptAnswer): Outcome {
    if (this.context.signal.aborted) return { kind: 'cancelled' };
    if (this.#flooded) return { kind: 'failed', problem: this.#flooded };
    const usage = reportedUsage(answer);
    if (usage) this.#report({ kind: 'usage.reported', usage });
    const { name } = this.#options.program;
    return outcomeOf(answer, name, (words) => this.transcript.notice('warning', words));
  }
}

function callsSoFar(context: TurnContext): ReadonlySet<string> {
  const items = context.state().chats[context.session.chat]?.active?.items ?? [];
  return new Set(items.flatMap((item) => (item.type === 'tool' ? [item.id] : [])));
}

function lengthOf(report: AgentReport): number {
  if (report.kind === 'text.added' || report.kind === 'notice.added') return report.text.length;
  if (report.kind === 'image.added') return report.data.length;
  if (report.kind === 'tool.output')
    return 'append' in report.output
      ? report.output.append.length
      : JSON.stringify(report.output.replace).length;
  return report.kind === 'tool.ended' || report.kind === 'tool.ready' ? JSON.stringify(report).length : 0;
}

function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  if (seconds >= 120) return `${Math.round(seconds / 60)} minutes`;
  return seconds > 1 ? `${seconds} seconds` : 'a second';
}
