// A readable device name from the browser's user agent, and when it is shown.

export function deviceName(agent = ''): string {
  const browser = browsers.find(([, sign]) => sign.test(agent))?.[0];
  const machine = machines.find(([, sign]) => sign.test(agent))?.[0];
  if (browser === undefined && machine === undefined) return agent.trim().slice(0, 80) || 'A browser';
  return machine === undefined ? (browser ?? '') : `${browser ?? 'A browser'} on ${machine}`;
}

interface ClientNames {
  readonly name?: string | undefined;
  readonly device?: string | undefined;
}

/**
 * The device to show beside the name of a client; none where both have the same name: a browser is signed in
 * under the name that it gives itself.
 */
export function deviceBeside({ name, device }: ClientNames): string | undefined {
  return device === name ? undefined : device;
}

/** The order matters: user agents of earlier browsers also contain the names of later ones. */
const browsers: readonly (readonly [string, RegExp])[] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /SamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /(?:Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
];

const machines: readonly (readonly [string, RegExp])[] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Windows', /\bWindows\b/],
  ['Mac', /\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
];
