// What `parley chat` says about its connection.
export const lostHost =
  'Lost the connection to the host. The chat goes on when the host is back; your next message starts it.';
export const foundHost = 'Connected again.';
export const nothingToStop =
  'No connection to the host, so there is nothing to stop. A host that has ended has stopped its turns.';
