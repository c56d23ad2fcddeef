// Whether a version of Node is one that a package asks for. A range that is written in another way than these
// counts as satisfied: npm says more about it.

/** Understands `>=1.2`, `>1`, `^1.2.3`, `~1.2`, `<3`, plain versions, several of them, and `||` between. */
export function satisfies(version: string, range: string): boolean {
  const have = numbersOf(version.replace(/^v/, ''));
  if (!have) return true;
  return range.split('||').some((part) =>
    part
      .replaceAll(/([<>=^~])\s+/g, '$1')
      .trim()
      .split(/\s+/)
      .every((rule) => holds(have, rule)),
  );
}

/** Whether both are versions of numbers, and the first is older. */
export function isOlder(one: string, other: string): boolean {
  const [left, right] = [numbersOf(one), numbersOf(other)];
  return left !== undefined && right !== undefined && compare(left, right) < 0;
}

type Numbers = readonly [number, number, number];

function holds(have: Numbers, rule: string): boolean {
  const [, sign = '', text = ''] = /^([<>]=?|=|\^|~)?v?(\d[\d.]*)/.exec(rule) ?? [];
  const wanted = numbersOf(text);
  if (!wanted) return true;
  const order = compare(have, wanted);
  const parts = text.split('.').filter(Boolean).length;
  switch (sign) {
    case '>=':
      return order >= 0;
    case '>':
      return order > 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0 || isSame(have, wanted, parts);
    case '^':
      return order >= 0 && have[0] === wanted[0];
    case '~':
      return order >= 0 && isSame(have, wanted, Math.min(parts, 2));
    default:
      return isSame(have, wanted, parts);
  }
}

function isSame(one: Numbers, other: Numbers, parts: number): boolean {
  return one.slice(0, parts).every((number, at) => number === other[at]);
}

function compare(one: Numbers, other: Numbers): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}

function numbersOf(text: string): Numbers | undefined {
  const [, major, minor = '0', patch = '0'] = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(text) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}
