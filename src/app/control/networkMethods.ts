// What our own clients may ask over the network beyond their protocol, by role. What is not listed is not there.
import { beyond, mayAs } from '../../host/policy/roles.ts';
import type { Role } from '../../host/policy/roles.ts';
import { errorCodes } from '../../protocols/ahp/errors.ts';
import { RpcError } from '../../rpc/rpcError.ts';
import type { ControlMethods } from './methods.ts';

const prefix = 'x-parley/';

const needs: { readonly [method: string]: Role } = {
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
  'mcp/remove': 'control',
  'agents/list': 'control',
  'agents/test': 'control',
  'agents/add': 'control',
  'agents/remove': 'control',
  'settings/read': 'control',
  'settings/write': 'control',
  'console/folder': 'control',
  'console/folders': 'control',
  'console/connected': 'control',
  'devices/list': 'control',
  'devices/link': 'control',
  'devices/change': 'control',
  'devices/revoke': 'control',
};

interface Visitor {
  readonly role: Role;
  readonly device?: string;
}

export function networkMethods(
  methods: ControlMethods,
  { role, device }: Visitor,
): (method: string, params: unknown, signal: AbortSignal) => unknown {
  return (method, params, signal) => {
    const name = method.startsWith(prefix) ? method.slice(prefix.length) : '';
    if (name === 'me') return { role, ...(device === undefined ? {} : { device }) };
    const needed = Object.hasOwn(needs, name) ? needs[name] : undefined;
    const answer = methods[name];
    if (needed === undefined || !answer)
      throw new RpcError(errorCodes.methodNotFound, `This host has no method ${method.slice(0, 64)}.`);
    if (!mayAs(role, needed)) throw new RpcError(errorCodes.permissionDenied, beyond(role, needed));
    return answer(params, signal);
  };
}
