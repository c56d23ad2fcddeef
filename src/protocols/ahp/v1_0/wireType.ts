// The type of what the host receives, by the name it has in the protocol. Its schema is the only description.
import type { z } from 'zod';
import type { actionTypes } from './schema/actions.ts';
import type { contentTypes } from './schema/content.ts';
import type { requestTypes } from './schema/requests.ts';
import type { toolTypes } from './schema/tools.ts';

type Schemas = typeof actionTypes & typeof contentTypes & typeof toolTypes & typeof requestTypes;

export type WireType<Name extends keyof Schemas> = z.output<Schemas[Name]>;
