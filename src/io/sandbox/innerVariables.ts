// The environment of a confined program. The shells, bubblewrap and the checks before it would obey variables
// that somebody else chose for it, and most of those run outside the sandbox. So they get each variable as
// the value of another one, whose name nobody knows; the last step before the program names them again.

export interface Variables {
  readonly [name: string]: string;
}

const prefix = 'PARLEY_INNER_';

/** The environment of the process that starts the program. */
export function wrapped(env: Variables): Variables {
  return Object.fromEntries(pairsOf(env).map((pair, at) => [`${prefix}${at}`, pair]));
}

/** As programs read them: if a name has an equals sign, the rest of the name is part of the value. */
export function pairsOf(env: Variables): readonly string[] {
  return Object.entries(env).map((pair) => pair.join('='));
}

/** In bytes. Linux passes on at most 128 KiB in one text, and a quarter of the stack in all, mostly 2 MiB. */
const longestText = 130_000;
const longestOfAll = 1_500_000;

/** Why the system would refuse to start a program with these. Checked before a sandbox is made for it. */
export function unfit(words: readonly string[], env: Variables): string | undefined {
  const texts = [...words, ...pairsOf(env)];
  if (texts.some((text) => text.includes('\0')))
    return 'A word or a variable of the command holds a zero character.';
  const sizes = texts.map((text) => Buffer.byteLength(text));
  if (sizes.some((size) => size > longestText) || sizes.reduce((sum, size) => sum + size, 0) > longestOfAll)
    return 'The words and variables of the command are too long. Write long texts to a file.';
  return undefined;
}

/** Lines of Perl and of Node that unwrap them. */
export const unwrapInPerl = `
for (map { delete $ENV{$_} } grep { /^${prefix}\\d+$/ } keys %ENV) {
  my ($name, $value) = split /=/, $_, 2;
  $ENV{$name} = $value;
}`;

export const unwrapInNode = `
const wrappedNames = Object.keys(process.env).filter((each) => /^${prefix}\\d+$/.test(each));
const pairs = wrappedNames.map((each) => /^([^=]*)=([^]*)$/.exec(process.env[each]));
for (const each of wrappedNames) delete process.env[each];
for (const [, own, value] of pairs) process.env[own] = value;`;
