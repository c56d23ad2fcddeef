// Chooses the dialect and the version of a connection from the params of `initialize`. It knows no other message.

export interface NegotiationOptions {
  /** One compatible range starts at each baseline: the same major, or below 1.0 the same minor. */
  readonly baselines: readonly string[];
  /** Offered version to the version it is spoken as, for numbers that were in use but never released. */
  readonly aliases?: Readonly<Record<string, string>>;
}

export type Refusal =
  | { readonly refused: 'invalidParams'; readonly problem: string }
  | { readonly refused: 'unsupportedVersion'; readonly supportedVersions: readonly string[] };

/** `version` is the answer, exactly as it was offered; `speaks` is the version whose features count. */
export interface ChosenVersion {
  readonly version: string;
  readonly speaks: string;
}

export type Negotiation =
  | { readonly dialect: 'v1'; readonly version: 1 }
  | ({ readonly dialect: 'newest' } & ChosenVersion)
  | Refusal;

export const publishedBaselines: readonly string[] = ['1.0.0', '0.9.0'];

/** VS Code counted 1.0.0 as 0.10.0 before it was released. A host that wants those clients to have it all passes this. */
export const vscodeAliases: Readonly<Record<string, string>> = { '0.10.0': '1.0.0' };

export function negotiate(
  params: unknown,
  options: NegotiationOptions = { baselines: publishedBaselines },
): Negotiation {
  const offer = typeof params === 'object' && params !== null ? params : {};
  if ('protocolVersions' in offer) {
    if (!Array.isArray(offer.protocolVersions)) return invalid('protocolVersions must be a list');
    const chosen = chooseVersion(offer.protocolVersions, options);
    return 'refused' in chosen ? chosen : { dialect: 'newest', ...chosen };
  }
  if ('protocolVersion' in offer && typeof offer.protocolVersion === 'number') {
    return offer.protocolVersion === 1 ? { dialect: 'v1', version: 1 } : unsupported(options);
  }
  return invalid('protocolVersions is missing');
}

/** The highest offered version that a range or an alias covers, whatever the order of the offer. */
export function chooseVersion(
  offered: readonly unknown[],
  options: NegotiationOptions,
): ChosenVersion | Refusal {
  const versions: Version[] = [];
  for (const entry of offered) {
    const version = typeof entry === 'string' ? parseVersion(entry) : undefined;
    if (version === undefined) return invalid('protocolVersions has an entry that is not major.minor.patch');
    versions.push(version);
  }
  const baselines = options.baselines.flatMap((text) => parseVersion(text) ?? []);
  const aliases = new Map(Object.entries(options.aliases ?? {}));
  const usable = versions.filter(
    (version) => aliases.has(version.text) || baselines.some((baseline) => isCompatible(version, baseline)),
  );
  const best = usable.toSorted(compareVersions).at(-1);
  if (best === undefined) return unsupported(options);
  return { version: best.text, speaks: aliases.get(best.text) ?? best.text };
}

/** Whether `version` is the same as or newer than `other`; false when one of them is no version at all. */
export function isAtLeast(version: string, other: string): boolean {
  const [left, right] = [parseVersion(version), parseVersion(other)];
  return left !== undefined && right !== undefined && compareVersions(left, right) >= 0;
}

interface Version {
  readonly text: string;
  /** Digits as text: a part may be larger than any number of the language. */
  readonly parts: readonly [major: string, minor: string, patch: string];
}

const versionForm = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;

function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch] = versionForm.exec(text) ?? [];
  if (major === undefined || minor === undefined || patch === undefined) return undefined;
  return { text, parts: [major, minor, patch] };
}

function isCompatible(version: Version, baseline: Version): boolean {
  const border = baseline.parts.findIndex((part) => part !== '0');
  const fixed = baseline.parts.slice(0, border < 0 ? baseline.parts.length : border + 1);
  return (
    fixed.every((part, index) => version.parts[index] === part) && compareVersions(version, baseline) >= 0
  );
}

function compareVersions(left: Version, right: Version): number {
  for (const [index, part] of left.parts.entries()) {
    const order = compareDigits(part, right.parts[index] ?? '0');
    if (order !== 0) return order;
  }
  return 0;
}

function compareDigits(left: string, right: string): number {
  if (left.length !== right.length) return left.length - right.length;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function invalid(problem: string): Refusal {
  return { refused: 'invalidParams', problem };
}

function unsupported(options: NegotiationOptions): Refusal {
  return {
    refused: 'unsupportedVersion',
    supportedVersions: options.baselines.map((baseline) => `^${baseline}`),
  };
}
