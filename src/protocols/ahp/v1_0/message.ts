// What people and agents say to each other: messages with their attachments, and questions with their answers.
import type { ContentRef, JsonPrimitive, Meta, Open, TextRange, TextSelection, URI } from './content.ts';

export interface ModelSelection {
  readonly id: string;
  readonly config?: Readonly<Record<string, JsonPrimitive>>;
}

export interface AgentSelection {
  readonly uri: URI;
}

export interface MessageOrigin {
  readonly kind: Open<'user' | 'agent' | 'tool' | 'automation' | 'systemNotification'>;
}

export interface Message {
  readonly text: string;
  readonly origin: MessageOrigin;
  readonly attachments?: readonly MessageAttachment[];
  readonly model?: ModelSelection;
  readonly agent?: AgentSelection;
  readonly _meta?: Meta;
}

interface AttachmentBase {
  readonly label: string;
  readonly range?: TextRange;
  readonly displayKind?: string;
  readonly _meta?: Meta;
}

export interface SimpleAttachment extends AttachmentBase {
  readonly type: 'simple';
  readonly modelRepresentation?: string;
}

export interface EmbeddedResourceAttachment extends AttachmentBase {
  readonly type: 'embeddedResource';
  readonly data: string;
  readonly contentType: string;
  readonly selection?: TextSelection;
}

export interface ResourceAttachment extends AttachmentBase, ContentRef {
  readonly type: 'resource';
  readonly selection?: TextSelection;
}

export interface AnnotationsAttachment extends AttachmentBase {
  readonly type: 'annotations';
  readonly resource: URI;
  readonly annotationIds?: readonly string[];
}

export interface ChatAttachment extends AttachmentBase {
  readonly type: 'chat';
  readonly resource: URI;
  readonly endTurn?: string;
}

export type MessageAttachment =
  | SimpleAttachment
  | EmbeddedResourceAttachment
  | ResourceAttachment
  | AnnotationsAttachment
  | ChatAttachment;

export interface PendingMessage {
  readonly id: string;
  readonly message: Message;
}

export interface ChatInputOption {
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

export type ChatInputAnswerValue =
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'selected'; readonly value: string; readonly freeformValues?: readonly string[] }
  | {
      readonly kind: 'selected-many';
      readonly value: readonly string[];
      readonly freeformValues?: readonly string[];
    };

export type ChatInputAnswer =
  | { readonly state: 'draft' | 'submitted'; readonly value: ChatInputAnswerValue }
  | { readonly state: 'skipped'; readonly freeformValues?: readonly string[] };

export type ChatInputAnswers = Readonly<Record<string, ChatInputAnswer>>;

export type ChatInputResponseKind = 'accept' | 'decline' | 'cancel';

export interface ChatInputRequest {
  readonly id: string;
  readonly message?: string;
  readonly url?: URI;
  readonly questions?: readonly ChatInputQuestion[];
  readonly answers?: ChatInputAnswers;
}
