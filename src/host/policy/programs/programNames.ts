// Other names of programs: a rule that forbids `python` is about `python3.12`, too.
import { wordSet } from '../commandLine.ts';

/** Whether a command starts the program that a rule names. A rule with a version is about that version. */
export function isSameProgram(name: string, ofRule: string): boolean {
  if (name === ofRule) return true;
  const [given, wanted] = [withoutVersion(name), withoutVersion(ofRule)];
  if (given.program !== wanted.program) return false;
  if (given.version === '' || wanted.version === '' || given.version === wanted.version) return true;
  return given.version.startsWith(`${wanted.version}.`);
}

function withoutVersion(name: string): { readonly program: string; readonly version: string } {
  const [, program = '', version = ''] = /^(.*?[a-z+])-?(\d[\d.]*)$/.exec(name) ?? [];
  const plain = versioned.has(program) ? program : name;
  return { program: firstNames.get(plain) ?? plain, version: plain === name ? '' : version };
}

/** Programs that systems install under a name with their version. */
const versioned: ReadonlySet<string> = wordSet(`
  python pypy pip perl ruby gem irb php lua luajit node npm java javac gcc g++ clang clang++ go emacs tclsh wish`);

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
