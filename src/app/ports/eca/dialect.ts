// How models are spoken to in conversations of ECA clients, as their users know it. Data only.
import type { Dialect } from '../../../agents/native/prompt/clientConventions.ts';

export const ecaDialect: Dialect = {
  persona: 'ECA',
  prefix: 'eca__',
  ending: '\n',
  onDemand: {
    compact_chat:
      'Replaces the conversation so far by a summary, to free room. Call it when you are asked for such a summary, and never otherwise: it is refused then.',
  },
};
