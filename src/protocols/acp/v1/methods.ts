// The names on the wire that more than one place needs, and the numbers of this version.

export const protocolVersion = 1;

export const cancelRequest = { method: '$/cancel_request', idKey: 'requestId' } as const;

export const sessionUpdate = 'session/update';

export const elicitationCreate = 'elicitation/create';

export const requestPermission = 'session/request_permission';

/** Nothing is possible before somebody has signed in. */
export const authRequired = -32_000;

/** The file or session that was named does not exist. */
export const resourceNotFound = -32_002;
