// A transport of ours as the stream of messages that the official SDK speaks through.
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import type { Transport } from '../../src/rpc/transports/transport.ts';

export function sdkStream(transport: Transport): Stream {
  let reads = true;
  return {
    readable: new ReadableStream({
      start(controller) {
        transport.listen({
          message: (text) => controller.enqueue(JSON.parse(text) as AnyMessage),
          problem: (problem) => controller.error(new Error(problem.detail)),
          closed: () => reads && controller.close(),
        });
      },
      cancel() {
        reads = false;
        transport.close();
      },
    }),
    writable: new WritableStream({
      write: (message) => transport.send(JSON.stringify(message)),
      close: () => transport.close(),
      abort: () => transport.close(),
    }),
  };
}
