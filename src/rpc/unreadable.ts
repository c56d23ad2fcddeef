// The answer to input that contains no message.
import { RpcError, rpcCodes } from './rpcError.ts';
import type { TransportProblem } from './transports/transport.ts';

export function unreadableError({ kind }: TransportProblem): RpcError {
  return errors[kind];
}

const errors: Record<TransportProblem['kind'], RpcError> = {
  parse: new RpcError(rpcCodes.parseError, 'Parse error'),
  framing: new RpcError(rpcCodes.parseError, 'Message boundaries are lost'),
  tooLarge: new RpcError(rpcCodes.invalidRequest, 'Message is too large'),
  binary: new RpcError(rpcCodes.invalidRequest, 'Binary frames are not supported'),
};
