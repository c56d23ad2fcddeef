// Holds what an ACP agent sends against the schema of the official library 0.4.
import {
  requestPermissionRequestSchema,
  sessionNotificationSchema,
} from '@zed-industries/agent-client-protocol/dist/schema.js';
import type { Message } from './acpSchema.ts';

/** Whether the library would reject the message; it checks updates and permission requests. */
export function isRejectedByFirst({ method, params }: Message): boolean {
  if (method === 'session/update') return !sessionNotificationSchema.safeParse(params).success;
  return method === 'session/request_permission' && !requestPermissionRequestSchema.safeParse(params).success;
}
