// The requests that the running host answers outside the editor protocols: from our commands on the private
// socket, and some from the console.
import type { ConnectionInfo, ClientConnectionOptions } from '../connections.ts';
import { consoleMethods } from './console.ts';
import { deviceMethods } from './devices.ts';
import { jobMethods } from './jobs.ts';
import { listeningMethods } from './listening.ts';
import { permissionMethods } from './permissions.ts';
import { pushMethods } from './push.ts';
import { sessionMethods } from './sessions.ts';
import type { ControlMethod } from './sessions.ts';
import { usageMethods } from './usage.ts';

export type ControlMethods = { readonly [name: string]: ControlMethod | undefined };

export interface ControlOptions extends ClientConnectionOptions {
  readonly connected: () => readonly ConnectionInfo[];
}

export function controlMethods(options: ControlOptions): ControlMethods {
  const { app, stop, connected } = options;
  const { host } = app;
  return {
    ...sessionMethods(host, app.store),
    ...deviceMethods(options),
    ...listeningMethods(options),
    ...permissionMethods(host),
    ...consoleMethods(app),
    ...jobMethods(host),
    ...usageMethods(app),
    ...pushMethods(host, options.pushFile),
    'console/connected': () => connected(),
    'store/hosts': async () => (await app.store.shared?.holders()) ?? [],
    'store/links': () => app.store.shared?.own.status() ?? [],
    /** Not for network clients: whoever has the old token could lock the owner out. */
    'token/rotate': () => options.token.rotate(),
    status: () => ({
      pid: process.pid,
      sessions: host.summaries().filter(({ started }) => started).length,
      agents: host
        .agents()
        .map(({ id, name, models }) => ({ id, name, models: models.map((model) => model.id) })),
    }),
    refresh: () => {
      app.refresh();
      return null;
    },
    stop: async () => {
      await stop();
      return null;
    },
  };
}
