// Configuration values, which the root and every session change in the same way.
import type { ActionOf } from '../../../../../src/protocols/ahp/integer1/actions.ts';

interface Configured {
  readonly config?: { readonly values: Readonly<Record<string, unknown>> };
}

/** Values without a schema to describe them have no meaning, so a state without `config` stays as it is. */
export function changeConfig<State extends Configured>(
  state: State,
  change: ActionOf<'root/configChanged' | 'session/configChanged'>,
): State {
  const { config } = state;
  if (config === undefined) return state;
  const values = change.replace === true ? { ...change.config } : { ...config.values, ...change.config };
  return { ...state, config: { ...config, values } };
}
