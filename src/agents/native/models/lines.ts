// The lines of a stream of bytes, as they become complete.

/** A line that would grow beyond this is no line of any protocol. */
const longest = 16 * 1024 * 1024;

export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split('\n');
      rest = done ? '' : (lines.pop() ?? '');
      for (const line of lines) if (line.trim() !== '') yield line;
      if (done) return;
      if (rest.length > longest) throw new Error('A line of the answer is too long.');
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
