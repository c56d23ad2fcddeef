// The doors by name, with the framing each speaks on stdio.
import { acpDoor } from '../doors/acp/door.ts';
import { ahpDoor } from '../doors/ahp/door.ts';
import { ecaDoor } from '../doors/eca/door.ts';
import type { Door } from '../host/door.ts';
import type { Hello } from '../io/hello.ts';
import { contentLength } from '../rpc/contentLength.ts';
import type { Framing } from '../rpc/framing.ts';
import { ndjson } from '../rpc/ndjson.ts';
import type { Transport } from '../rpc/transport.ts';

declare const PARLEY_VERSION: string;

export interface NamedDoor {
  readonly framing: Framing;
  open(options: Hello['options']): Door<Transport>;
}

export const doors: { readonly [name: string]: NamedDoor | undefined } = {
  eca: { framing: contentLength, open: () => ecaDoor({ version: PARLEY_VERSION }) },
  acp: { framing: ndjson, open: ({ agent }) => acpDoor({ version: PARLEY_VERSION, ...(agent === undefined ? {} : { agent }) }) },
  ahp: { framing: ndjson, open: ({ principal }) => ahpDoor({ version: PARLEY_VERSION, principal: principal ?? 'owner' }) },
};
