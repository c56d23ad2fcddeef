// What an agent offers for a session in a folder, and what such a session has if nobody chooses.
import { useEffect, useState } from 'preact/hooks';
import { present } from '../../../src/base/present.ts';
import type { SessionConfigPropertySchema, URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import { useClient } from '../../state/app.ts';

export interface OfferedConfig {
  readonly properties: Readonly<Record<string, SessionConfigPropertySchema>>;
  /** What the session has if nobody chooses it. */
  readonly usual: { readonly permissions?: string; readonly model?: string };
}

export interface SessionPlace {
  readonly provider: string | undefined;
  readonly directory: URI | undefined;
  readonly config: Readonly<Record<string, unknown>>;
}

/** Nothing while it is not known, and where nobody wants to know. */
export function useOfferedConfig(place: SessionPlace | undefined): OfferedConfig {
  const client = useClient();
  const [offered, setOffered] = useState<OfferedConfig>(noConfig);
  useEffect(() => {
    if (!place) return undefined;
    let current = true;
    const { provider, directory: workingDirectory, config } = place;
    client.request('resolveSessionConfig', { ...present({ provider, workingDirectory }), config }).then(
      ({ schema: { properties }, _meta: usual = {} }) => current && setOffered({ properties, usual }),
      () => current && setOffered(noConfig),
    );
    return () => {
      current = false;
    };
  }, [JSON.stringify(place)]);
  return offered;
}

const noConfig: OfferedConfig = { properties: {}, usual: {} };
