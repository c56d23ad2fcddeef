// What an agent wants to do, as policy judges it.
import type { AskOption, Json, RuleProposal, Rule, SandboxUse, ToolId, ToolKind } from '../../model/event.ts';
import type { CommandLine } from './commandLine.ts';

/** What a call would do, as far as policy needs to know it. */
export interface ToolIntent {
  readonly name: string;
  readonly toolKind: ToolKind;
  readonly input: Json;
  /** Every path the call touches, absolute, links resolved. */
  readonly paths: readonly string[];
  readonly command?: string;
  /** Set if the user wrote the command line in the settings and the caller only filled in its parameters. */
  readonly written?: true;
  /** The URL that the call requests. */
  readonly url?: string;
  /** A fingerprint of a third party's tool definition; a lasting answer is valid while it stays the same. */
  readonly definition?: string;
  /** The rules that the agent's profile adds to those of the user. */
  readonly rules?: readonly Rule[];
  /** Set if the call must not change anything. */
  readonly readOnly?: boolean;
  /** The parsed command. The host sets it and ignores what an agent says here. */
  readonly line?: CommandLine;
  /**
   * Set if a program runs for the call. The host can confine a command that it runs itself; `outside` says
   * why it must not. `runs` is set if another program runs the call: how that is confined as a whole.
   */
  readonly sandbox?: { readonly outside?: string; readonly runs?: SandboxUse };
}

/** A call that needs approval: what it would do, and how people are asked. */
export interface ToolRequest {
  readonly tool: ToolId;
  readonly intent: ToolIntent;
  readonly title: string;
  /** What a lasting answer is narrowed to, beside the tool. */
  readonly remember?: Pick<RuleProposal, 'args'>;
  /** The options of an external agent; absent means ours. */
  readonly options?: readonly AskOption[];
  readonly editable?: boolean;
  /** What the call would be with other arguments; only where a user may change them. */
  readonly edited?: (input: Json) => Promise<EditedRequest>;
}

/** A call with the arguments of a user, or why there is none. */
export type EditedRequest = Pick<ToolRequest, 'intent' | 'title'> | { readonly refused: string };
