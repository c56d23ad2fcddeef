// A wire over the browser's WebSocket, and the address to open it at.
import type { OpenWire } from './wire.ts';

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

/**
 * The AHP address of the host that served the page. A token goes into the query: browsers
 * cannot set headers here.
 */
export function socketAddress(
  page: { readonly protocol: string; readonly host: string },
  token?: string,
): string {
  const scheme = page.protocol === 'https:' ? 'wss:' : 'ws:';
  const query = token === undefined ? '' : `?tkn=${encodeURIComponent(token)}`;
  return `${scheme}//${page.host}/ahp${query}`;
}
