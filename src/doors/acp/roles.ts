// The role that each ACP method needs. A method that is not listed needs full control.
import type { Role } from '../../host/policy/roles.ts';

export function roleFor(method: string): Role {
  return looking.has(method) ? 'observe' : 'control';
}

const looking: ReadonlySet<string> = new Set([
  'initialize',
  'authenticate',
  'auth/login',
  'session/list',
  'session/load',
  'session/resume',
  '$/cancel_request',
]);
