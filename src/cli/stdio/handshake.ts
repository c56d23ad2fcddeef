// Starts the program as an editor would, and performs the handshake of its protocol.
import { errorText } from '../../base/errorText.ts';
import { contentLength } from '../../rpc/framing/contentLength.ts';
import { createChildTransport } from '../../rpc/transports/child.ts';
import { ndjson } from '../../rpc/framing/ndjson.ts';
import { createPeer } from '../../rpc/peer.ts';

const answerTime = 30_000;

/** How many milliseconds the answer took, or what went wrong. */
export async function handshake(
  program: string,
  starts: 'server' | 'acp',
): Promise<{ readonly ms: number } | { readonly problem: string }> {
  const startedAt = performance.now();
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
  const timeout = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`no answer within ${answerTime / 1000} seconds`)), answerTime).unref();
  });
  try {
    const hello =
      starts === 'acp'
        ? { protocolVersion: 1, clientCapabilities: {} }
        : { processId: process.pid, capabilities: { codeAssistant: { chat: true } }, workspaceFolders: [] };
    await Promise.race([peer.request('initialize', hello), timeout]);
    return { ms: Math.round(performance.now() - startedAt) };
  } catch (error) {
    return { problem: errorText(error, String(error)) };
  } finally {
    peer.close();
    await peer.closed;
  }
}
