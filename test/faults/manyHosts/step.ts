// The steps of the judge. Each has a limit, says what it waits for when it takes long, and says it again when
// its time is over: a silent judge could as well be one that hangs.

/** Slow steps say so after this time, and again and again, in milliseconds. */
const longTime = 20_000;

/** No step takes so long, also on a busy machine, in milliseconds. */
const limit = 240_000;

/** Gives what `work` gives. Rejects with what is `missing` when the time of the step is over. */
export async function step<T>(missing: () => string, work: () => Promise<T>): Promise<T> {
  const began = Date.now();
  const since = () => `for ${Math.round((Date.now() - began) / 1_000)} s`;
  const telling = setInterval(() => tell(`waits ${since()} for ${missing()}`), longTime);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited in vain ${since()} for ${missing()}`)), limit);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearInterval(telling);
    clearTimeout(timer);
  }
}

/** A line of the report, with the time. */
export function tell(what: string): void {
  process.stderr.write(`${new Date().toISOString()} ${what}\n`);
}
