// The tools that work on the conversation and change nothing outside it.
import { askUser } from './askUser.ts';
import { compactChat } from './compactChat.ts';
import { taskTool } from './task.ts';
import type { Tool } from '../tool.ts';

export const conversationTools: readonly Tool[] = [taskTool, askUser, compactChat];
