// What `parley chat` says about its connection.
export const lostHost =
  'Lost the connection to the host. The chat goes on when the host is back; your next message starts it.';
export const foundHost = 'Connected again.';
