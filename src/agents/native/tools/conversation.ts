// The tools that work on the conversation itself and touch nothing outside it.
import { compactChat } from './compactChat.ts';
import type { Tool } from './tool.ts';

export const conversationTools: readonly Tool[] = [compactChat];
