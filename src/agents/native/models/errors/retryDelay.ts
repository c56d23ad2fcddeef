// How long a provider asks us to wait before a retry, from the headers and the body of its error response.

type Headers = { readonly [name: string]: string };

/** In milliseconds; undefined if the provider does not say. Header names are in lower case. */
export function retryDelay(headers: Headers, body: string, now: number): number | undefined {
  const exact = Number(headers['retry-after-ms']);
  if (headers['retry-after-ms'] !== undefined && Number.isFinite(exact)) return Math.max(0, exact);
  const retryAfter = headers['retry-after'];
  return (
    (retryAfter === undefined ? undefined : delayUntil(retryAfter, now)) ??
    resetOf(headers, now) ??
    delayIn(body)
  );
}

/**
 * Of several limits only exhausted ones count. If no limit reports that it is exhausted, the nearest
 * reset is the best guess.
 */
function resetOf(headers: Headers, now: number): number | undefined {
  const resets = Object.entries(headers).flatMap(([name, value]) => {
    const kind = /^(?:anthropic-ratelimit-(.+)-reset|(?:x-)?ratelimit(?:bysize)?-reset-?(.*))$/.exec(name);
    const wait = kind && delayUntil(value, now);
    if (!kind || wait == null) return [];
    const limit = kind[1] ?? kind[2] ?? '';
    const left =
      headers[`anthropic-ratelimit-${limit}-remaining`] ??
      headers[limit === '' ? 'x-ratelimit-remaining' : `x-ratelimit-remaining-${limit}`];
    return [{ wait, used: left === undefined ? undefined : Number(left) <= 0 }];
  });
  const used = resets.filter((reset) => reset.used);
  if (used.length > 0) return Math.max(...used.map(({ wait }) => wait));
  return resets.length > 0 ? Math.min(...resets.map(({ wait }) => wait)) : undefined;
}

/** Reads seconds, a duration such as 6m0s, a date, or seconds or milliseconds since 1970. */
function delayUntil(value: string, now: number): number | undefined {
  const text = value.trim();
  const number = Number(text);
  if (text !== '' && Number.isFinite(number)) return Math.max(0, numericDelay(number, now));
  const duration = durationOf(text);
  if (duration !== undefined) return duration;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Large numbers are a time since 1970, in milliseconds or seconds. */
function numericDelay(number: number, now: number): number {
  if (number > 1e12) return number - now;
  return number > 1e9 ? number * 1000 - now : number * 1000;
}

const units: { readonly [unit: string]: number } = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

function durationOf(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)];
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ''] ?? 0), 0);
}

/** Google has a field for the delay; others write it into the message. */
function delayIn(body: string): number | undefined {
  const delay =
    /"retryDelay"\s*:\s*"([\d.]+s)"/.exec(body)?.[1] ??
    /(?:try|retry) (?:again )?(?:in|after) ((?:\d+(?:\.\d+)?(?:ms|[smhd]))+)/i.exec(body)?.[1];
  return delay === undefined ? undefined : durationOf(delay);
}
