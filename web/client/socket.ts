// A wire over the browser's WebSocket. It knows addresses, and no message.
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

/** The host's address beside the page; a token goes into the query, because a browser can set no header here. */
export function hostAddress(
  page: { readonly protocol: string; readonly host: string },
  token?: string,
): string {
  const scheme = page.protocol === 'https:' ? 'wss:' : 'ws:';
  const query = token === undefined ? '' : `?tkn=${encodeURIComponent(token)}`;
  return `${scheme}//${page.host}/ahp${query}`;
}
