// A wire over the browser's WebSocket, and the address to open it at.
import type { OpenWire, Wire } from './wire.ts';

export function socketWire(address: string): OpenWire {
  return ({ opened, received, closed }) => {
    const socket = new WebSocket(address);
    socket.addEventListener('open', opened);
    socket.addEventListener('message', ({ data }) => {
      if (typeof data === 'string') received(data);
    });
    socket.addEventListener('close', closed, { once: true });
    return {
      send: (text) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(text);
      },
      close: () => socket.close(),
    };
  };
}

/** The same at an address that is found out anew for each connection; undefined means that there is none. */
export function laterSocketWire(findAddress: () => Promise<string | undefined>): OpenWire {
  return (events) => {
    let wire: Wire | undefined;
    let isClosed = false;
    const open = (address: string | undefined): void => {
      if (address === undefined || isClosed) events.closed();
      else wire = socketWire(address)(events);
    };
    void findAddress().then(open, () => open(undefined));
    return {
      send: (text) => wire?.send(text),
      close: () => {
        isClosed = true;
        wire?.close();
      },
    };
  };
}

/**
 * The AHP address of the host that served the page. Credentials go into the query: browsers cannot set
 * headers here.
 */
export function socketAddress(
  page: { readonly protocol: string; readonly host: string },
  query = '',
): string {
  const scheme = page.protocol === 'https:' ? 'wss:' : 'ws:';
  return `${scheme}//${page.host}/ahp${query}`;
}

export function tokenQuery(token: string): string {
  return `?tkn=${encodeURIComponent(token)}`;
}
