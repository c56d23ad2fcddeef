// The ids that clients may choose for sessions and chats.

// oxlint-disable-next-line no-control-regex -- control characters are exactly what is refused
const readable = /^(?!\$)[^\s\u0000-\u001f\u007f]{1,256}$/u;

/** `$` is reserved for the host. Chats are kept in an object, and some names are in every object. */
export function isSessionId(id: string): boolean {
  return readable.test(id) && !(id in Object.prototype);
}
