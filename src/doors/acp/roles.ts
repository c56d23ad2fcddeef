// Which role a call of an ACP client needs. What is not listed needs the highest: nothing is allowed by being forgotten.
import type { Role } from '../../host/policy/roles.ts';

export function roleFor(method: string): Role {
  return looking.has(method) ? 'observe' : 'control';
}

const looking: ReadonlySet<string> = new Set([
  'initialize',
  'authenticate',
  'session/list',
  'session/load',
  'session/resume',
  '$/cancel_request',
]);
