// The environment of a confined program. The shells, bubblewrap and the checks before it would obey variables
// that somebody else chose for it, and most of those run outside the sandbox. So they get each variable as
// the value of another one, whose name nobody knows; the last step before the program names them again.

export interface Variables {
  readonly [name: string]: string;
}

const prefix = 'PARLEY_INNER_';

/** The environment of whoever starts the program. */
export function wrapped(env: Variables): Variables {
  return Object.fromEntries(pairsOf(env).map((pair, at) => [`${prefix}${at}`, pair]));
}

/** As programs read them: what stands behind an equals sign in a name is a part of the value. */
export function pairsOf(env: Variables): readonly string[] {
  return Object.entries(env).map((pair) => pair.join('='));
}

/** No system passes on a text with a zero character. */
export function hasZero(words: readonly string[], env: Variables): boolean {
  return [...words, ...pairsOf(env)].some((text) => text.includes('\0'));
}

/** Lines of Perl and of Node that unwrap them. */
export const unwrapInPerl = `
for (map { delete $ENV{$_} } grep { /^${prefix}\\d+$/ } keys %ENV) {
  my ($name, $value) = split /=/, $_, 2;
  $ENV{$name} = $value;
}`;

export const unwrapInNode = `
for (const name of Object.keys(process.env).filter((each) => /^${prefix}\\d+$/.test(each))) {
  const [, own, value] = /^([^=]*)=([^]*)$/.exec(process.env[name]);
  delete process.env[name];
  process.env[own] = value;
}`;
