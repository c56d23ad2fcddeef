// Tries what an editor will do: starts the program, says hello in its protocol, and takes the answer.
import { contentLength } from '../../rpc/framing/contentLength.ts';
import { createChildTransport } from '../../rpc/transports/child.ts';
import { ndjson } from '../../rpc/framing/ndjson.ts';
import { createPeer } from '../../rpc/peer.ts';

const patience = 30_000;

/** How many milliseconds the answer took, or why there was none. */
export async function handshake(
  program: string,
  starts: 'server' | 'acp',
): Promise<{ readonly ms: number } | { readonly problem: string }> {
  const began = performance.now();
  const peer = createPeer(
    createChildTransport({
      command: program,
      args: [starts],
      cwd: process.cwd(),
      env: process.env,
      framing: starts === 'acp' ? ndjson : contentLength,
    }),
    {
      handle: { request: () => null, notification: () => {} },
      malformed: 'report',
    },
  );
  const late = new Promise<never>((_, reject) => {
    setTimeout(
      () => reject(new Error(`it did not answer within ${patience / 1000} seconds`)),
      patience,
    ).unref();
  });
  try {
    const hello =
      starts === 'acp'
        ? { protocolVersion: 1, clientCapabilities: {} }
        : { processId: process.pid, capabilities: { codeAssistant: { chat: true } }, workspaceFolders: [] };
    await Promise.race([peer.request('initialize', hello), late]);
    return { ms: Math.round(performance.now() - began) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  } finally {
    peer.close();
    await peer.closed;
  }
}
