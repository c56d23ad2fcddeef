// The life of one tool call in version 1: the statuses of AHP 1.0 with fewer fields.
import type { z } from 'zod';
import type * as v1_0 from '../v1_0/toolCall.ts';
import type { UserMessage } from './message.ts';
import type { contentTypes } from './schema/content.ts';

export type ToolResultContent = z.output<(typeof contentTypes)['toolResultContent']>;

export type ToolCallResult = z.output<(typeof contentTypes)['toolCallResult']>;

export type ConfirmationOption = Omit<v1_0.ConfirmationOption, '_meta'>;

/** Members that a status may have and that look different in version 1. */
interface OwnMembers {
  readonly toolInput?: string;
  readonly content?: readonly ToolResultContent[];
  readonly options?: readonly ConfirmationOption[];
  readonly selectedOption?: ConfirmationOption;
  readonly userSuggestion?: UserMessage;
}

/** Version 1 names only clients as contributors. */
interface Contributed {
  readonly toolClientId?: string;
}

type Thin<Call> = Omit<Call, 'contributor' | 'intention' | 'riskAssessment' | keyof OwnMembers> &
  Pick<OwnMembers, Extract<keyof OwnMembers, keyof Call>> &
  Contributed;

export type ToolCallBase = Thin<v1_0.ToolCallBase>;

export type StreamingToolCall = Thin<v1_0.StreamingToolCall>;

export type PendingToolCall = Thin<v1_0.PendingToolCall>;

export type RunningToolCall = Thin<v1_0.RunningToolCall>;

export type PendingResultToolCall = Thin<v1_0.PendingResultToolCall>;

export type CompletedToolCall = Thin<v1_0.CompletedToolCall>;

export type CancelledToolCall = Thin<v1_0.CancelledToolCall>;

export type ToolCallState =
  | StreamingToolCall
  | PendingToolCall
  | RunningToolCall
  | PendingResultToolCall
  | CompletedToolCall
  | CancelledToolCall;
