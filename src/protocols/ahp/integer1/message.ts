// What people and agents say to each other: messages with their attachments, and questions with their answers.
import type { Open, URI } from './content.ts';

export interface ModelSelection {
  readonly id: string;
  readonly config?: Readonly<Record<string, string>>;
}

export interface MessageAttachment {
  readonly type: Open<'file' | 'directory' | 'selection'>;
  readonly uri: URI;
  readonly displayName?: string;
}

export interface UserMessage {
  readonly text: string;
  readonly attachments?: readonly MessageAttachment[];
}

export interface PendingMessage {
  readonly id: string;
  readonly userMessage: UserMessage;
}

export interface SessionInputOption {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly recommended?: boolean;
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
  readonly options: readonly SessionInputOption[];
  readonly allowFreeformInput?: boolean;
}

export interface MultiSelectQuestion extends QuestionBase {
  readonly kind: 'multi-select';
  readonly options: readonly SessionInputOption[];
  readonly allowFreeformInput?: boolean;
  readonly min?: number;
  readonly max?: number;
}

export type SessionInputQuestion =
  | TextQuestion
  | NumberQuestion
  | BooleanQuestion
  | SingleSelectQuestion
  | MultiSelectQuestion;

export type SessionInputAnswerValue =
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'selected'; readonly value: string; readonly freeformValues?: readonly string[] }
  | {
      readonly kind: 'selected-many';
      readonly value: readonly string[];
      readonly freeformValues?: readonly string[];
    };

export type SessionInputAnswer =
  | { readonly state: 'draft' | 'submitted'; readonly value: SessionInputAnswerValue }
  | { readonly state: 'skipped'; readonly freeformValues?: readonly string[] };

export type SessionInputAnswers = Readonly<Record<string, SessionInputAnswer>>;

export type SessionInputResponseKind = 'accept' | 'decline' | 'cancel';

export interface SessionInputRequest {
  readonly id: string;
  readonly message?: string;
  readonly url?: URI;
  readonly questions?: readonly SessionInputQuestion[];
  readonly answers?: SessionInputAnswers;
}
