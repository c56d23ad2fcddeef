// Other names of subcommands: programs accept short forms of them, and npm any beginning of a name.
import { knownName } from './programNames.ts';

/** Every subcommand that a program may take a word for. The full name of the word comes first. */
export function subcommandNames(program: string, word: string): readonly string[] {
  const name = knownName(program);
  const known = shortNames.get(name);
  if (!known) return [word];
  // npm reads `setScript` as `set-script`.
  const plain = name === 'npm' ? word.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`) : word;
  const full = known.get(plain);
  if (full) return [...full, plain];
  if (name !== 'npm' || plain === '' || npmNames.has(plain)) return [plain];
  const begun = [...npmNames, ...known.keys()].filter((other) => other.startsWith(plain));
  return [plain, ...begun.flatMap((other) => [other, ...(known.get(other) ?? [])])];
}

/** Whether a word means the same subcommand as the word of a rule, or one that includes it. */
export function meansSubcommand(program: string, word: string, ofRule: string): boolean {
  return (
    word === ofRule || subcommandNames(program, word).includes(subcommandNames(program, ofRule)[0] ?? '')
  );
}

/** Lines of `full name: short names`; behind `+` are other subcommands that it includes. */
function shortNamesOf(text: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const line of text.trim().split('\n')) {
    const [name = '', short = '', more = ''] = line.split(/[:+]/).map((part) => part.trim());
    const meant = [name, ...more.split(' ').filter(Boolean)];
    for (const each of [name, ...short.split(' ').filter(Boolean)]) found.set(each, meant);
  }
  return found;
}

/** Yarn installs if it gets no subcommand. */
const shortNames: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>> = new Map(
  Object.entries({
    npm: `
      install: add i in ins inst insta instal isnt isnta isntal isntall
      ci: clean-install ic install-clean isntall-clean
      install-test: it + install test
      install-ci-test: cit sit clean-install-test + ci test
      test: t tst
      uninstall: unlink remove rm r un
      update: u up upgrade udpate
      run: run-script rum urn
      exec: x
      init: create innit
      config: c
      get: + config
      set: + config
      set-script: + pkg
      rebuild: rb
      link: ln
      dedupe: ddp
      dist-tag: dist-tags
      adduser: add-user
      owner: author
      org: ogr
      search: s se find
      view: v info show
      version: verison`,
    pnpm: `
      install: i
      add: + install
      remove: rm un uninstall uni
      update: up upgrade
      run: run-script
      test: t tst
      config: c
      get: + config
      set: + config
      link: ln
      rebuild: rb`,
    bun: `
      install: i
      add: a + install
      remove: rm`,
    cargo: `
      build: b
      check: c
      doc: d
      run: r
      test: t
      remove: rm`,
  }).map(([program, text]) => [program, shortNamesOf(text)] as const),
).set('yarn', new Map([['', ['install']]]));

/** Commands of npm without a short name; another word may be the beginning of one. */
const npmNames: ReadonlySet<string> = new Set(
  `access audit bugs cache completion deprecate diff docs doctor edit explain explore find-dupes fund help hook
  ll login logout ls list outdated pack ping pkg prefix profile prune publish query repo restart root sbom
  shrinkwrap stage star stars start stop team token trust undeprecate unpublish unstar why whoami home la`
    .trim()
    .split(/\s+/),
);
