// The control methods that clients may call over the network, each with the role it needs. Methods that are
// not listed do not exist there.
import { homedir } from 'node:os';
import { isRecord } from '../../base/isRecord.ts';
import { present } from '../../base/present.ts';
import { roleRefusal, mayAs } from '../../host/policy/roles.ts';
import type { Role } from '../../host/policy/roles.ts';
import type { Autonomy } from '../../model/event.ts';
import { errorCodes } from '../../protocols/ahp/errors.ts';
import { RpcError } from '../../rpc/rpcError.ts';
import type { ControlMethods } from './methods.ts';

const prefix = 'x-parley/';

const neededRoles: { readonly [method: string]: Role } = {
  'sessions/search': 'observe',
  'sessions/delete': 'control',
  'providers/list': 'control',
  'providers/login': 'control',
  'providers/wait': 'control',
  'providers/input': 'control',
  'providers/logout': 'control',
  'mcp/list': 'control',
  'mcp/act': 'control',
  'mcp/add': 'control',
  'mcp/update': 'control',
  'mcp/test': 'control',
  'mcp/remove': 'control',
  'agents/list': 'control',
  'agents/running': 'control',
  'agents/registry': 'control',
  'agents/install': 'control',
  'agents/uninstall': 'control',
  'agents/test': 'control',
  'agents/add': 'control',
  'agents/remove': 'control',
  'settings/read': 'control',
  'settings/write': 'control',
  'settings/set': 'control',
  'jobs/list': 'observe',
  'jobs/read': 'observe',
  'jobs/write': 'control',
  'jobs/kill': 'control',
  'usage/chat': 'observe',
  'usage/totals': 'observe',
  'push/key': 'observe',
  'push/subscribe': 'observe',
  'push/unsubscribe': 'observe',
  'push/waiting': 'observe',
  'push/answer': 'approve',
  'git/state': 'control',
  'git/commit': 'control',
  'console/folder': 'control',
  'console/folders': 'control',
  'console/connected': 'control',
  'devices/list': 'control',
  'devices/link': 'control',
  'devices/change': 'control',
  'devices/revoke': 'control',
  'listening/read': 'control',
  'listening/start': 'control',
  'listening/stop': 'control',
  'permissions/list': 'observe',
  'permissions/revoke': 'control',
  'permissions/confirm': 'control',
};

/** Our own pages are the only clients that call these. */
const networkOrigin = { kind: 'client', door: 'ahp', client: 'console', name: 'Parley console' } as const;

interface Visitor {
  readonly role: Role;
  readonly device?: string;
  /** The name of the device. */
  readonly name?: string;
  readonly most?: Autonomy;
}

export function networkMethods(
  methods: ControlMethods,
  { role, device, name: deviceName, most }: Visitor,
): (method: string, params: unknown, signal: AbortSignal) => unknown {
  const by = { ...networkOrigin, ...present({ device: deviceName, most }) };
  return (method, params, signal) => {
    const name = method.startsWith(prefix) ? method.slice(prefix.length) : '';
    if (name === 'me') return present({ role, device, home: homedir() });
    const needed = Object.hasOwn(neededRoles, name) ? neededRoles[name] : undefined;
    const answer = methods[name];
    if (needed === undefined || !answer)
      throw new RpcError(errorCodes.methodNotFound, `This host has no method ${method.slice(0, 64)}.`);
    if (!mayAs(role, needed)) throw new RpcError(errorCodes.permissionDenied, roleRefusal(role, needed));
    // Which device asks, and what it may do, is known by its connection, whatever it says.
    const asked = name.startsWith('push/') && isRecord(params) ? { ...params, device, role } : params;
    return answer(asked, signal, by);
  };
}
