// What people write in version 1; questions and answers are those of AHP 1.0.
import type { z } from 'zod';
import type { contentTypes } from './schema/content.ts';

export type ModelSelection = z.output<(typeof contentTypes)['modelSelection']>;

export type MessageAttachment = z.output<(typeof contentTypes)['messageAttachment']>;

export type UserMessage = z.output<(typeof contentTypes)['userMessage']>;

export interface PendingMessage {
  readonly id: string;
  readonly userMessage: UserMessage;
}
