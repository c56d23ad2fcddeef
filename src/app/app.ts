// What the host of this process has beside its sessions, for doors that let clients manage it. There is one host in a process.
import type { ServerEditor, ToolServers } from '../host/tools/toolServers.ts';
import type { Knowledge } from '../host/settings/projectKnowledge.ts';
import type { OpenSettings } from '../io/settings/open.ts';
import type { HostHooks } from './hostHooks.ts';
import type { Models } from './models/openModels.ts';

export interface Services {
  readonly models: Models;
  readonly settings: OpenSettings;
  readonly knowledge: Knowledge;
  readonly hooks: HostHooks;
  readonly toolServers: ToolServers;
  readonly serverEditor: ServerEditor;
}

let current: Services | undefined;

export function offer(services: Services): void {
  current = services;
}

/** Undefined before the host has started. */
export function offered(): Services | undefined {
  return current;
}
