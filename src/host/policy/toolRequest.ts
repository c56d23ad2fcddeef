// What an agent wants to do, as policy judges it.
import type { AskOption, Json, Remembered, Rule, ToolId, ToolKind } from '../../model/event.ts';
import type { CommandLine } from './commandLine.ts';

/** What somebody wants to do, as far as policy needs to know it. */
export type Deed = Pick<
  ToolRequest,
  | 'name'
  | 'toolKind'
  | 'input'
  | 'paths'
  | 'command'
  | 'written'
  | 'url'
  | 'definition'
  | 'rules'
  | 'readOnly'
>;

export interface ToolRequest {
  readonly tool: ToolId;
  readonly name: string;
  readonly toolKind: ToolKind;
  readonly title: string;
  readonly input: Json;
  /** Every path the call touches, absolute, links resolved. */
  readonly paths: readonly string[];
  readonly command?: string;
  /** Set where the user wrote the command line in his settings and the caller has only filled its places. */
  readonly written?: true;
  /** The address it goes to. */
  readonly url?: string;
  /** Stands for what a tool of somebody else says of itself; a lasting answer holds as long as it says the same. */
  readonly definition?: string;
  /** What a lasting answer is narrowed to, beside the tool. */
  readonly remember?: Pick<Remembered, 'args'>;
  /** What the host has read out of the command; whatever an agent says here is not listened to. */
  readonly line?: CommandLine;
  /** The options an external agent offers; absent means ours. */
  readonly options?: readonly AskOption[];
  readonly editable?: boolean;
  /** What the way the agent works adds to the rules that hold for everybody. */
  readonly rules?: readonly Rule[];
  /** Set where it may change nothing. */
  readonly readOnly?: boolean;
}
