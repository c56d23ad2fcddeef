// Everything that can be asked of the running host beside the protocols: by our commands on the private socket, and in part by the console.
import type { Connected, ConnectionOptions } from '../connections.ts';
import { consoleMethods } from './console.ts';
import { deviceMethods } from './devices.ts';
import { sessionMethods } from './sessions.ts';
import type { ControlMethod } from './sessions.ts';

export type ControlMethods = { readonly [name: string]: ControlMethod | undefined };

export interface ControlOptions extends ConnectionOptions {
  readonly connected: () => readonly Connected[];
}

export function controlMethods(options: ControlOptions): ControlMethods {
  const { host, store, stop, refresh, connected } = options;
  return {
    ...sessionMethods(host, store),
    ...deviceMethods(options),
    ...consoleMethods(process.env),
    'console/connected': () => connected(),
    status: () => ({
      pid: process.pid,
      sessions: host.summaries().filter(({ started }) => started).length,
      agents: host
        .agents()
        .map(({ id, name, models }) => ({ id, name, models: models.map((model) => model.id) })),
    }),
    refresh: () => {
      refresh();
      return null;
    },
    stop: async () => {
      await stop();
      return null;
    },
  };
}
