// The prompt conventions of chats that began in an ECA client, as its users know them. Data only.
import type { ClientConventions } from '../../../agents/native/prompt/clientConventions.ts';

export const ecaConventions: ClientConventions = {
  persona: 'ECA',
  toolPrefix: 'eca__',
  acceptedPrefixes: ['eca__'],
  hookServer: 'eca',
  resultEnding: '\n',
  onDemand: {
    compact_chat:
      'Replaces the conversation so far by a summary, to free room. Call it when you are asked for such ' +
      'a summary, and never otherwise: it is refused then.',
  },
  sendsUnknownCommands: true,
};
