// What a pipe must know of each protocol to continue a connection with another host.

export interface PipedProtocol {
  /** The client's messages that open a connection; the next host gets them again. */
  readonly handshake: readonly string[];
  /** Requests that must have their effect once, whichever host gets them. */
  readonly once: readonly string[];
  /** Requests of the host that the next host makes again, because the user has not answered yet. */
  readonly asks: readonly string[];
  /** The notification that cancels a request, and the member of its params that contains the request id. */
  readonly cancel?: { readonly method: string; readonly idKey: string };
  /** Whether a notification only announces a state, so that the client need not get the same one again. */
  readonly announces: (method: string) => boolean;
  /** The notification of the host that repeats one of the client, and both have the number `clientSeq`. */
  readonly echo?: { readonly method: string };
}

const nothing = () => false;

export const pipedProtocols: { readonly [door: string]: PipedProtocol | undefined } = {
  acp: {
    handshake: ['initialize'],
    once: ['session/prompt'],
    asks: ['session/request_permission', 'elicitation/create'],
    cancel: { method: '$/cancel_request', idKey: 'requestId' },
    announces: nothing,
  },
  eca: {
    handshake: ['initialize', 'initialized'],
    once: [],
    asks: ['chat/askQuestion'],
    cancel: { method: '$/cancelRequest', idKey: 'id' },
    announces: (method) => !method.startsWith('chat/'),
  },
  // The host knows an AHP client by its id, so it needs no second handshake.
  ahp: { handshake: [], once: [], asks: [], announces: nothing, echo: { method: 'action' } },
};
