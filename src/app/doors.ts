// The doors by name, with the framing each speaks on stdio. A door's code is loaded when it is first needed.
import { homedir } from 'node:os';
import type { EcaOptions } from '../doors/eca/options.ts';
import type { Caller, Door } from '../host/door.ts';
import type { Role } from '../host/policy/roles.ts';
import type { Hello } from '../io/local/socketGreeting.ts';
import { fileUri } from '../base/fileUri.ts';
import { present } from '../base/present.ts';
import { contentLength } from '../rpc/framing/contentLength.ts';
import type { Framing } from '../rpc/framing/framing.ts';
import { ndjson } from '../rpc/framing/ndjson.ts';
import type { Transport } from '../rpc/transports/transport.ts';
import type { App } from './app.ts';

declare const PARLEY_VERSION: string;

/** Who connects to a door, and what they may do. */
export interface DoorClient extends Caller {
  readonly role: Role;
  /** Where it may begin to look for a workspace; the user's own folder if absent. */
  readonly folder?: string | undefined;
  /** Answers the requests of our own clients that are not part of the protocol. */
  readonly extension?: (method: string, params: unknown, signal: AbortSignal) => unknown;
}

/** The user who can reach the private socket or our standard streams. */
export const owner: DoorClient = { principal: 'owner', role: 'control' };

/** Creates the door of one connection. */
export type OpenDoor = (options: Hello['options'], client?: DoorClient) => Door<Transport>;

export interface DoorKind {
  readonly framing: Framing;
  /** Loads the code. The returned function creates what all connections of one host share. */
  load(): Promise<(app: App) => OpenDoor>;
  /** How the door answers a first request from constants, before its code is loaded. */
  greeting?(options: Hello['options']): Promise<(method: string, params: unknown) => unknown>;
}

const version = PARLEY_VERSION;

export const doors: { readonly [name: string]: DoorKind | undefined } = {
  eca: {
    framing: contentLength,
    load: async () => {
      const [{ ecaDoor }, { ecaPorts }] = await Promise.all([
        import('../doors/eca/door.ts'),
        import('./ports/eca/eca.ts'),
      ]);
      return (app) => {
        const ports = ecaPorts(app);
        const serveRemote: EcaOptions['serveRemote'] = async (...request) =>
          (await import('./ports/eca/remote.ts')).ecaRemote(version, app)(...request);
        return ({ 'config-file': configFile, resume }) =>
          ecaDoor({ version, serveRemote, resumable: resume === 'yes', ...ports(configFile) });
      };
    },
    greeting: async ({ 'config-file': configFile }) => {
      const [{ ecaGreeting }, { mayConfigureWelcome }] = await Promise.all([
        import('../doors/eca/initialize.ts'),
        import('../io/ecaConfig/mayConfigureWelcome.ts'),
      ]);
      const facts = {
        version,
        mayConfigureWelcome: (roots: readonly string[]) =>
          mayConfigureWelcome({ env: process.env, roots, configFile }),
      };
      return (method, params) => ecaGreeting(method, params, facts);
    },
  },
  acp: {
    framing: ndjson,
    load: async () => {
      const [{ acpDoor }, { acpPorts }] = await Promise.all([
        import('../doors/acp/door.ts'),
        import('./ports/acp.ts'),
      ]);
      return (app) => {
        const ports = acpPorts(app);
        return ({ agent, resume }, { principal, role, device, most } = owner) =>
          acpDoor({
            version,
            principal,
            role,
            resumable: resume === 'yes',
            ...ports,
            ...present({ agent, device, most }),
          });
      };
    },
    greeting: async () => {
      const { acpGreeting } = await import('../doors/acp/initialize.ts');
      return (method, params) => acpGreeting(method, params, version);
    },
  },
  run: {
    framing: ndjson,
    load: async () => {
      const { runDoor } = await import('./run/runDoor.ts');
      return () => () => runDoor();
    },
  },
  ahp: {
    framing: ndjson,
    load: async () => {
      const [{ ahpDoor }, { ahpPorts }] = await Promise.all([
        import('../doors/ahp/door.ts'),
        import('./ports/ahp.ts'),
      ]);
      return (app) => {
        const ports = ahpPorts(app);
        return ({ resume }, { folder = homedir(), extension, ...caller } = owner) =>
          ahpDoor({
            version,
            resumable: resume === 'yes',
            caller,
            ...ports,
            extension,
            defaultDirectory: fileUri(folder),
          });
      };
    },
  },
};

/** Loads every door, so that the first client of an idle host does not wait for it. */
export async function warmUp(): Promise<void> {
  await Promise.all(Object.values(doors).map(async (door) => door?.load()));
}
