// Random command lines for the fuzzer: simple commands joined by operators, with fragments that shells give
// a meaning to.

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Programs that rules may allow, and programs that no rule of the fuzzer allows. */
export const allowable = [
  'ls',
  'cat',
  'echo',
  'printf',
  'git',
  'cp',
  'mv',
  'ln',
  'tar',
  'curl',
  'wget',
  'npm',
] as const;
export const foreign = ['touch', 'evil', 'rm'] as const;

const plainWords = [
  'a',
  'src',
  'src/x.ts',
  '-l',
  '-la',
  '--all',
  'status',
  'log',
  'x.ts',
  '"a b"',
  "'a b'",
  'a\\ b',
  '-n',
  'test',
  '""',
  "''",
  'a=b',
  '.',
  '~',
  'HEAD~1',
  '-',
  '--',
  '-x=1',
  'a,b',
  'a:b',
  '@a',
  '{}',
  '%s',
  '%b%n',
  'PATH',
  '2',
  '12',
];
const reachingWords = [
  '../outside',
  '../outside/secret',
  'out',
  'out/secret',
  '/parley-nowhere/x',
  '~/x',
  '.git/hooks',
  '.git/config',
  'src/../..',
  'vendor/evil',
  '$HOME/x',
  '"$HOME"',
  '${HOME}/x',
  '$\\\nHOME/x',
  '"$\\\nHOME"',
  "$\\\n'a'",
  '$x',
  '$f',
  '"$f"',
  '${f}',
  '*',
  '[ab]',
  '?',
  '{a,b}',
  'a{1..2}',
  "$'a'",
  '$"a"',
];
const optionStarts = [
  '-t',
  '-rt',
  '-f',
  '-cf',
  '-vcf',
  '-o',
  '-so',
  '-qO',
  '-T',
  '-sT',
  '-d@',
  '-sd@',
  '-Ff=@',
  '--form=f=@',
  '--target-directory=',
  '-sft',
  '-v',
];
const startings = [
  '>(touch w)',
  '<(touch w)',
  '$(touch w)',
  '`touch w`',
  '2>(evil)',
  '1<(evil a)',
  '12>(rm a)',
  '<<<a',
  '$((1+1))',
  '&>(evil)',
  '>&(evil)',
];
const redirections = [
  '2>&1',
  '>/dev/null',
  '2>/dev/null',
  '<a',
  '< src/x.ts',
  '&>/dev/null',
  '>w1',
  '2>w2',
  '>>w3',
  '<../outside/secret',
  '<&-',
  '2>&-',
  '{fd}>w4',
  '>|w5',
  '<>w6',
];
const assignments = [
  'CI=1',
  'NO_COLOR=',
  'TERM=dumb',
  'PATH=x',
  'CI=$x',
  'X=1',
  'CI="1"',
  'CI+=1',
  'CI=a\\ b',
];
const loopNames = ['f', 'f', 'f', 'i', 'file', 'PATH', 'path', 'f g'];
const loopLists = [
  'a b',
  'src',
  'a ../outside',
  '-la',
  'curl ls',
  'evil a',
  'a ~',
  'CI',
  'x$f',
  '*',
  '.git/hooks',
];
const joins = ['; ', ' && ', ' || ', ' | ', ' & ', '\n', ' |& ', ';', '&', '|', '&&', '||'];
const noise = [
  ...Array.from(`'"\\$\`<>|&;(){}[]*?#!~=@:,\n\t -2at`),
  '\\\n',
  '$(',
  '${',
  '>(',
  '<(',
  '((',
  '))',
  '[[',
  ']]',
  ';;',
  '<<',
  '>&',
  '&>',
  "$'",
  'x()',
];

export function randomLine(random: () => number): string {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const word = (): string => {
    const kind = random();
    if (kind < 0.72) return pick(plainWords);
    if (kind < 0.84) return pick(reachingWords);
    if (kind < 0.92) return pick(optionStarts) + pick(random() < 0.5 ? plainWords : reachingWords);
    if (kind < 0.96) return pick(plainWords) + pick(plainWords);
    return pick(startings);
  };
  const command = (): string => {
    const words = [
      random() < 0.93 ? pick(allowable) : pick(foreign),
      ...Array.from({ length: Math.floor(random() * 4) }, word),
    ];
    if (random() < 0.15) words.splice(1 + Math.floor(random() * words.length), 0, pick(redirections));
    if (random() < 0.06)
      words[0] = `cd ${pick(['src', 'vendor/evil', 'out', '..', '-', '.git', 'ou*', '.g?t'])} && ${words[0] ?? ''}`;
    if (random() < 0.05) words.unshift(pick(assignments));
    const frame = framed(words.join(' '), random());
    return random() < 0.02 ? `${frame} ${pick(redirections)}` : frame;
  };
  let line = command();
  for (let more = Math.floor(random() * 3); more > 0; more -= 1) line += pick(joins) + command();
  if (random() < 0.08) line = `for ${pick(loopNames)} in ${pick(loopLists)}; do ${line}; done`;
  for (let changes = Math.floor(random() * random() * 4); changes > 0; changes -= 1) {
    const at = Math.floor(random() * (line.length + 1));
    line =
      line.slice(0, at) + (random() < 0.8 ? pick(noise) : '') + line.slice(at + (random() < 0.3 ? 1 : 0));
  }
  return line;
}

/** A loop would never end here, so there is none. */
function framed(command: string, chance: number): string {
  if (chance < 0.03) return `(${command})`;
  if (chance < 0.06) return `{ ${command}; }`;
  if (chance < 0.09) return `if ${command}; then ls; fi`;
  if (chance < 0.11) return `! ${command}`;
  return chance < 0.12 ? `for f in a b; do ${command}; done` : command;
}
