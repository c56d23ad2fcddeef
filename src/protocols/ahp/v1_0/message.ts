// What people and agents say to each other: messages with their attachments, and
// questions with their answers.
import type { Meta, URI } from './content.ts';
import type { WireType } from './wireType.ts';

export type Message = WireType<'message'>;

export type MessageAttachment = WireType<'messageAttachment'>;

export interface PendingMessage {
  readonly id: string;
  readonly message: Message;
}

export interface ChatInputOption {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly recommended?: boolean;
  /** An addition of ours: the role that may choose it. */
  readonly _meta?: Meta;
}

interface QuestionBase {
  readonly id: string;
  readonly title?: string;
  readonly message: string;
  readonly required?: boolean;
}

export interface TextQuestion extends QuestionBase {
  readonly kind: 'text';
  readonly format?: string;
  readonly min?: number;
  readonly max?: number;
  readonly defaultValue?: string;
}

export interface NumberQuestion extends QuestionBase {
  readonly kind: 'number' | 'integer';
  readonly min?: number;
  readonly max?: number;
  readonly defaultValue?: number;
}

export interface BooleanQuestion extends QuestionBase {
  readonly kind: 'boolean';
  readonly defaultValue?: boolean;
}

export interface SingleSelectQuestion extends QuestionBase {
  readonly kind: 'single-select';
  readonly options: readonly ChatInputOption[];
  readonly allowFreeformInput?: boolean;
}

export interface MultiSelectQuestion extends QuestionBase {
  readonly kind: 'multi-select';
  readonly options: readonly ChatInputOption[];
  readonly allowFreeformInput?: boolean;
  readonly min?: number;
  readonly max?: number;
}

export type ChatInputQuestion =
  | TextQuestion
  | NumberQuestion
  | BooleanQuestion
  | SingleSelectQuestion
  | MultiSelectQuestion;

export type ChatInputAnswerValue = WireType<'chatInputAnswerValue'>;

export type ChatInputAnswer = WireType<'chatInputAnswer'>;

export type ChatInputAnswers = Readonly<Record<string, ChatInputAnswer>>;

export type ChatInputResponseKind = WireType<'chatInputResponseKind'>;

export interface ChatInputRequest {
  readonly id: string;
  readonly message?: string;
  readonly url?: URI;
  readonly questions?: readonly ChatInputQuestion[];
  readonly answers?: ChatInputAnswers;
  /** An addition of ours: what a question of the host is about, and the role that answers. */
  readonly _meta?: Meta;
}
