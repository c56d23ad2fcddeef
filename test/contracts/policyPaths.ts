// What is decided about paths under given rules, as data. The links are real ones, made below the workspace before the cases run.
type Effect = 'allow' | 'ask' | 'deny';

/** Links below the workspace and where they lead; `outside` is a folder beside it. */
export const links: { readonly [name: string]: string } = {
  'out': '../outside', 'outfile': '../outside/secret', 'in': 'src', 'up': '..', 'root': '/', 'hooks': '.git/hooks', 'loop': 'loop', 'dangling': '../outside/new', 'chain': 'out', 'rc': '.bashrc', 'src/home': '../..',
};

export interface PathCases {
  readonly name: string;
  readonly tool: string;
  readonly kind: 'read' | 'search' | 'edit' | 'delete' | 'move' | 'other';
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly mode?: string;
  readonly trusted?: boolean;
  /** Paths as an agent would write them: absolute, or from the workspace on. */
  readonly cases: readonly (readonly [path: string, effect: Effect])[];
}

export const pathCases: readonly PathCases[] = [
  {
    name: 'reading', tool: 'read_file', kind: 'read',
    cases: [
      ['a', 'allow'], ['src/x.ts', 'allow'], ['./src/../a', 'allow'], ['missing', 'allow'], ['src/missing/x', 'allow'], ['in/x.ts', 'allow'], ['.git/config', 'allow'], ['.', 'allow'], ['', 'allow'],
      ['../outside/secret', 'ask'], ['..', 'ask'], ['/etc/passwd', 'ask'], ['../../etc/passwd', 'ask'], ['src/../../outside/secret', 'ask'], ['/', 'ask'], ['/proc/self/environ', 'ask'], ['/dev/stdin', 'ask'],
      ['out/secret', 'ask'], ['outfile', 'ask'], ['out', 'ask'], ['up/outside/secret', 'ask'], ['root/etc/passwd', 'ask'], ['chain/secret', 'ask'], ['dangling', 'ask'], ['loop', 'ask'], ['loop/x', 'ask'], ['src/home/outside/secret', 'ask'],
      ['out/../a', 'ask'], ['in/../a', 'allow'], ['../app-twin/x', 'ask'], ['../APP/x', 'ask'], ['file:///etc/passwd', 'allow'], ['a\u0000b', 'ask'], ['\u0000', 'ask'], [`${'x/'.repeat(2500)}y`, 'allow'], [`${'../'.repeat(60)}etc/passwd`, 'ask'],
    ],
  },
  {
    name: 'writing where the tool is allowed', tool: 'write_file', kind: 'edit', allow: ['write_file'],
    cases: [
      ['a', 'allow'], ['src/new/x.ts', 'allow'], ['in/new', 'allow'], ['.github/workflows/x.yml', 'allow'], ['.gitignore', 'allow'], ['out/x', 'ask'], ['/etc/x', 'ask'], ['dangling', 'ask'],
      ['.git/hooks/pre-commit', 'ask'], ['.git/config', 'ask'], ['.GIT/config', 'ask'], ['.Git/Hooks/x', 'ask'], ['hooks/pre-commit', 'ask'], ['sub/.git/config', 'ask'], ['.git', 'ask'], ['.git./config', 'ask'], ['.git /config', 'ask'],
      ['.g\u200cit/config', 'ask'], ['.git::$INDEX_ALLOCATION/config', 'ask'], ['GIT~1/config', 'ask'], ['.vscode/tasks.json', 'ask'], ['.VSCode/settings.json', 'ask'], ['.idea/workspace.xml', 'ask'], ['x.code-workspace', 'ask'],
      ['.envrc', 'ask'], ['src/.envrc', 'ask'], ['.bashrc', 'ask'], ['.zshenv', 'ask'], ['.profile', 'ask'], ['rc', 'ask'], ['.config/fish/config.fish', 'ask'], ['.npmrc', 'ask'], ['.mcp.json', 'ask'], ['.cursor/mcp.json', 'ask'],
      ['.parley/config.jsonc', 'ask'], ['.Parley/x', 'ask'], ['.eca/config.json', 'ask'], ['.claude/settings.json', 'ask'], ['.husky/pre-commit', 'ask'], ['.devcontainer/devcontainer.json', 'ask'], ['.ssh/authorized_keys', 'ask'], ['own/trust.json', 'ask'],
      ['.cargo/config.toml', 'ask'], ['.mvn/extensions.xml', 'ask'], ['.pnpmfile.cjs', 'ask'], ['.pre-commit-config.yaml', 'ask'], ['mise.toml', 'ask'], ['.kiro/settings/mcp.json', 'ask'],
    ],
  },
  {
    name: 'writing in some folders', tool: 'edit_file', kind: 'edit', allow: ['edit_file(src/**)'], deny: ['*(**/secret/**)', '*(**/.env*)'],
    cases: [
      ['src/x.ts', 'allow'], ['src/a/b/c.ts', 'allow'], ['a', 'ask'], ['in/x.ts', 'allow'], ['srcs/x', 'ask'], ['src/secret/x', 'deny'], ['src/SECRET/x', 'deny'], ['src/.env', 'deny'], ['src/.env.local', 'deny'], ['.env', 'deny'],
      ['src/../a', 'ask'], ['src/home/outside/x', 'ask'], ['src/.git/config', 'ask'],
    ],
  },
  { name: 'denied through a link', tool: 'read_file', kind: 'read', deny: ['read_file(src/**)'], cases: [['in/x.ts', 'deny'], ['src/x.ts', 'deny'], ['a', 'allow']] },
  {
    name: 'folders in several spellings', tool: 'read_file', kind: 'read', deny: ['read_file(./src/secret)', '*(lib/)', '*(~/.ssh/**)', '*(/proc/*/environ)'],
    cases: [
      ['src/secret', 'deny'], ['src/secret/', 'deny'], ['src/secret/x', 'deny'], ['src//secret/./x', 'deny'], ['in/secret/x', 'deny'], ['src/secrets', 'allow'], ['lib', 'deny'], ['lib/a/b', 'deny'], ['libs/a', 'allow'],
      ['../home/.ssh/id_rsa', 'deny'], ['../home/x', 'ask'], ['/proc/self/environ', 'deny'],
    ],
  },
  {
    name: 'writing through every way out', tool: 'move_file', kind: 'move', allow: ['*'],
    cases: [
      ['src/a/../../b', 'allow'], ['src/a/../../../outside/x', 'ask'], ['~/x', 'allow'], ['~root/x', 'allow'], ['out/new', 'ask'], ['out/../b', 'ask'], ['up/app/a', 'allow'], ['up/app-twin/x', 'ask'], ['root/tmp/x', 'ask'], ['chain', 'ask'],
      ['/proc/self/cwd/../x', 'ask'], ['/dev/fd/1', 'ask'], ['//etc//x', 'ask'], ['/etc/./x', 'ask'], ['.git/../.git/config', 'ask'], ['src/.git', 'ask'], ['.GITMODULES', 'ask'], ['src/.ssh/x', 'ask'], ['loop/../a', 'ask'], ['src/x.ts/../../a', 'allow'],
    ],
  },
  { name: 'asked about', tool: 'read_file', kind: 'read', ask: ['@read(**/*.pem)'], cases: [['src/key.pem', 'ask'], ['src/KEY.PEM', 'ask'], ['src/key.pem.txt', 'allow']] },
  { name: 'plan mode', tool: 'write_file', kind: 'edit', allow: ['write_file'], mode: 'plan', cases: [['a', 'deny'], ['/etc/x', 'deny']] },
  { name: 'plan mode reads', tool: 'read_file', kind: 'read', mode: 'plan', cases: [['a', 'allow'], ['/etc/x', 'ask']] },
  { name: 'a trusted session', tool: 'write_file', kind: 'edit', trusted: true, deny: ['write_file(lock)'], cases: [['a', 'allow'], ['lock', 'deny'], ['/etc/x', 'ask'], ['.git/config', 'ask'], ['out/x', 'ask']] },
];
