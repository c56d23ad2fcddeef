// Chooses the protocol version of a connection from the params of `initialize`. It knows no other
// message and no version.

export interface SupportedVersions {
  /** One compatible range starts at each baseline: the same major, or below 1.0 the same minor. */
  readonly baselines: readonly string[];
  /**
   * Maps an offered version to the version it is spoken as, for numbers that were in use but never released.
   */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Versions from before semantic versioning, which clients offer as one number in `protocolVersion`. */
  readonly integers?: readonly number[];
}

export type NegotiationRefusal =
  | { readonly refused: 'invalidParams'; readonly problem: string }
  | { readonly refused: 'unsupportedVersion'; readonly supportedVersions: readonly string[] };

/** `version` is the answer, exactly as it was offered; `speaks` is the version whose features count. */
export interface ChosenVersion {
  readonly version: string;
  readonly speaks: string;
}

export function negotiate(params: unknown, supported: SupportedVersions): ChosenVersion | NegotiationRefusal {
  const offer = typeof params === 'object' && params !== null ? params : {};
  if ('protocolVersions' in offer) {
    if (!Array.isArray(offer.protocolVersions)) return invalid('protocolVersions must be a list');
    return chooseVersion(offer.protocolVersions, supported);
  }
  if ('protocolVersion' in offer && typeof offer.protocolVersion === 'number') {
    const version = String(offer.protocolVersion);
    return supported.integers?.includes(offer.protocolVersion)
      ? { version, speaks: version }
      : unsupported(supported);
  }
  return invalid('protocolVersions is missing');
}

/** The highest offered version that a range or an alias covers, whatever the order of the offer. */
export function chooseVersion(
  offered: readonly unknown[],
  supported: SupportedVersions,
): ChosenVersion | NegotiationRefusal {
  const versions: Version[] = [];
  for (const entry of offered) {
    const version = typeof entry === 'string' ? parseVersion(entry) : undefined;
    if (version === undefined) return invalid('protocolVersions has an entry that is not major.minor.patch');
    versions.push(version);
  }
  const aliases = new Map(Object.entries(supported.aliases ?? {}));
  const usable = versions.filter(
    (version) =>
      aliases.has(version.text) ||
      supported.baselines.some((baseline) => isCompatible(version.text, baseline)),
  );
  const best = usable.toSorted(compareVersions).at(-1);
  if (best === undefined) return unsupported(supported);
  return { version: best.text, speaks: aliases.get(best.text) ?? best.text };
}

/** Whether a version is in the range that starts at a baseline; false when one of them is not a version. */
export function isCompatible(versionText: string, baselineText: string): boolean {
  const [version, baseline] = [parseVersion(versionText), parseVersion(baselineText)];
  if (!version || !baseline) return false;
  const border = baseline.parts.findIndex((part) => part !== '0');
  const fixed = baseline.parts.slice(0, border < 0 ? baseline.parts.length : border + 1);
  return (
    fixed.every((part, index) => version.parts[index] === part) && compareVersions(version, baseline) >= 0
  );
}

/** Whether `version` is the same as or newer than `other`; false when one of them is not a version. */
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

function invalid(problem: string): NegotiationRefusal {
  return { refused: 'invalidParams', problem };
}

function unsupported(supported: SupportedVersions): NegotiationRefusal {
  return {
    refused: 'unsupportedVersion',
    supportedVersions: supported.baselines.map((baseline) => `^${baseline}`),
  };
}
