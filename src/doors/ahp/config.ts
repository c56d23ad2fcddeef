// What can be set about a session, and what it is set to.
import type { State } from '../../model/state.ts';
import type { SessionConfigState } from '../../protocols/ahp/newest/content.ts';
import { jsonRecord } from './json.ts';
import type { JsonRecord } from './json.ts';

/** The choices that AHP clients made for a session. They are told to clients and mean nothing to the host. */
export function configOf({ options }: State): SessionConfigState & { readonly values: JsonRecord } {
  return { schema: { type: 'object', properties: {} }, values: jsonRecord(options['ahp']) };
}
