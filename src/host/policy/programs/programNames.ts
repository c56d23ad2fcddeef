// Other names of programs: a rule that forbids `python` is about `python3.12`, too.
import { programName, wordSet } from '../commandLine.ts';

/**
 * The name under which we know a program: `gcc` for `gcc-12` and `x86_64-linux-gnu-gcc`, `sed` for `gsed`.
 * The name of an unknown program stays as it is.
 */
export function knownName(word: string): string {
  const { plain } = withoutVersion(programName(word));
  const tool = plain.split('-').at(-1) ?? plain;
  if (ofTargets.has(tool)) return otherNames.get(tool) ?? tool;
  if (plain.startsWith('g') && ofGnu.has(plain.slice(1))) return plain.slice(1);
  return otherNames.get(plain) ?? plain;
}

/** Whether a command starts the program that a rule names. A rule with a version is about that version. */
export function isSameProgram(name: string, ofRule: string): boolean {
  if (name === ofRule) return true;
  const [given, wanted] = [withoutVersion(name), withoutVersion(ofRule)];
  if (firstName(given.plain) !== firstName(wanted.plain)) return false;
  if (given.version === '' || wanted.version === '' || given.version === wanted.version) return true;
  return given.version.startsWith(`${wanted.version}.`);
}

function firstName(plain: string): string {
  const name = knownName(plain);
  return firstNames.get(name) ?? name;
}

function withoutVersion(name: string): { readonly plain: string; readonly version: string } {
  const [, program = '', version = ''] = /^(.*?[a-z+])-?(\d[\d.]*)$/.exec(name) ?? [];
  const isVersion = versioned.has(program.split('-').at(-1) ?? '');
  return isVersion ? { plain: program, version } : { plain: name, version: '' };
}

/** Programs that systems install under a name with their version. */
const versioned: ReadonlySet<string> = wordSet(`
  python pypy pip perl ruby gem irb php lua luajit node npm java javac gcc g++ clang clang++ go emacs
  tclsh wish gfortran cpp rustc cargo swift ocaml make ar ld nm objcopy objdump ranlib readelf size strings strip`);

/** Tools of compilers, which cross compilers have under the name of their target as well. */
const ofTargets: ReadonlySet<string> = wordSet(`
  gcc g++ cc c++ clang clang++ gfortran cpp ar ld nm objcopy objdump ranlib readelf size strings strip`);

/** Tools of GNU that other systems have under a name with a `g`. */
const ofGnu: ReadonlySet<string> = wordSet(`
  cat chgrp chmod chown chroot cp cut date dd diff du egrep env fgrep find grep head install kill ln ls make
  mv nice nohup printf readlink rm rmdir sed shred shuf sort split stat stdbuf tail tar tee timeout touch
  truncate uniq unlink wc xargs`);

const otherNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    fdfind: 'fd',
    bfs: 'find',
    batcat: 'bat',
    rga: 'rg',
    'vim.basic': 'vim',
    'vim.nox': 'vim',
    'vim.tiny': 'vim',
    'vim.gtk3': 'vim',
    'original-awk': 'awk',
    'nc.openbsd': 'nc',
    'nc.traditional': 'nc',
    yarnpkg: 'yarn',
    pnpx: 'npx',
    rustdoc: 'rustc',
    'podman-remote': 'podman',
    '7zz': '7z',
    '7zr': '7z',
    pzstd: 'zstd',
    zstdmt: 'zstd',
    pigz: 'gzip',
    'ugrep+': 'ugrep',
    'ug+': 'ug',
    c89: 'gcc',
    c99: 'gcc',
    gfortran: 'gcc',
  }),
);

const firstNames: ReadonlyMap<string, string> = new Map(
  [
    'vi vim nvim view vimdiff nvimdiff gvim gvimdiff rvim rview ex',
    'awk gawk mawk nawk',
    'nc ncat netcat',
    'node nodejs',
    'grep egrep fgrep rgrep',
    'tar gtar bsdtar',
  ].flatMap((line) => {
    const names = line.split(' ');
    return names.map((name) => [name, names[0] ?? name] as const);
  }),
);
