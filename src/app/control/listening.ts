// The requests about the address for other devices: whether the host listens there, and start and stop while
// it runs. The settings remember the choice for the next start.
import * as z from 'zod';
import type { ClientConnectionOptions } from '../connections.ts';
import { controlDone, readParams } from './readParams.ts';
import type { ControlMethod } from './sessions.ts';

type Options = Pick<ClientConnectionOptions, 'app' | 'deviceAddress'>;

const request = z.object({ port: z.int().min(1).max(65_535).optional() });

export function listeningMethods({ app, deviceAddress }: Options): {
  readonly [name: string]: ControlMethod;
} {
  const remember = async (path: readonly string[], value: unknown) => {
    const { setValue } = await import('./settings.ts');
    await setValue(app.env, { path: ['server', 'devices', ...path], value });
  };
  return {
    'listening/read': async () => {
      await deviceAddress.renew();
      return deviceAddress.state();
    },
    'listening/start': async (params) => {
      const { port } = readParams(request, params);
      const before = deviceAddress.state().devices;
      controlDone(await deviceAddress.start(port));
      try {
        await remember(['enabled'], true);
        if (port !== undefined) await remember(['port'], port);
      } catch (error) {
        await (before ? deviceAddress.start(before.port) : deviceAddress.stop());
        throw error;
      }
      return deviceAddress.state();
    },
    'listening/stop': async () => {
      await remember(['enabled'], null);
      await deviceAddress.stop();
      return deviceAddress.state();
    },
  };
}
