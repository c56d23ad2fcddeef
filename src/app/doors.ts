// The doors by name, with the framing each speaks on stdio. A door's code is loaded when it is first wanted.
import type { EcaDoorOptions } from '../doors/eca/options.ts';
import type { Door } from '../host/door.ts';
import type { Role } from '../host/policy/roles.ts';
import type { Hello } from '../io/local/socketGreeting.ts';
import { contentLength } from '../rpc/framing/contentLength.ts';
import type { Framing } from '../rpc/framing/framing.ts';
import { ndjson } from '../rpc/framing/ndjson.ts';
import type { Transport } from '../rpc/transports/transport.ts';

declare const PARLEY_VERSION: string;

/** Whoever comes through a door. */
export interface Guest {
  readonly principal: string;
  readonly role: Role;
  /** What our own clients may ask beyond the protocol. */
  readonly extension?: (method: string, params: unknown, signal: AbortSignal) => unknown;
}

/** Whoever reaches the private socket or our standard streams. */
export const owner: Guest = { principal: 'owner', role: 'control' };

export interface NamedDoor {
  readonly framing: Framing;
  open(options: Hello['options'], guest?: Guest): Promise<Door<Transport>>;
  /** How the door answers a first request from constants, without being loaded. */
  greeting?(): Promise<(method: string, params: unknown) => unknown>;
}

const version = PARLEY_VERSION;

export const doors: { readonly [name: string]: NamedDoor | undefined } = {
  eca: {
    framing: contentLength,
    open: async ({ 'config-file': configFile }) => {
      const [{ ecaDoor }, { ecaPorts }] = await Promise.all([
        import('../doors/eca/door.ts'),
        import('./ports/eca/eca.ts'),
      ]);
      const serveRemote: EcaDoorOptions['serveRemote'] = async (...wish) =>
        (await import('./ports/eca/remote.ts')).ecaRemote(version, process.env)(...wish);
      return ecaDoor({ version, serveRemote, ...ecaPorts(process.env, { configFile }) });
    },
    greeting: async () => {
      const { greet } = await import('../doors/eca/greeting.ts');
      return (method, params) => greet(method, params, version);
    },
  },
  acp: {
    framing: ndjson,
    open: async ({ agent }, { role } = owner) => {
      const [{ acpDoor }, { acpPorts }] = await Promise.all([
        import('../doors/acp/door.ts'),
        import('./ports/acp.ts'),
      ]);
      return acpDoor({ version, role, ...acpPorts(process.env), ...(agent === undefined ? {} : { agent }) });
    },
    greeting: async () => {
      const { greet } = await import('../doors/acp/greeting.ts');
      return (method, params) => greet(method, params, version);
    },
  },
  run: {
    framing: ndjson,
    open: async () => (await import('./runDoor.ts')).runDoor(),
  },
  ahp: {
    framing: ndjson,
    open: async (_options, guest = owner) => {
      const [{ ahpDoor }, { ahpPorts }] = await Promise.all([
        import('../doors/ahp/door.ts'),
        import('./ports/ahp.ts'),
      ]);
      return ahpDoor({ version, ...guest, ...ahpPorts(process.env) });
    },
  },
};

/** Loads every door, so that the first client of a waiting host waits for nothing. */
export async function warmUp(): Promise<void> {
  await Promise.all(Object.values(doors).flatMap((door) => (door ? [door.open({})] : [])));
}
