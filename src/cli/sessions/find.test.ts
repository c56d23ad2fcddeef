import { expect, test } from 'vitest';
import type { Peer } from '../../rpc/peer.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import { sessionColumns } from './find.ts';

test.each([
  [new RpcError(rpcCodes.methodNotFound, 'Method not found'), 'The running host is a different version.'],
  [new RpcError(rpcCodes.internalError, 'Internal error'), 'Internal error'],
])('a list that the host refuses with %s', async (refusal, told) => {
  const host: Pick<Peer, 'request'> = { request: () => Promise.reject(refusal) };
  await expect(sessionColumns(host, false)).rejects.toThrow(told);
});
