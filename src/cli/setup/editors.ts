// What each editor needs to use Parley: the file, the change, and the command it starts. Pure.
import { join } from 'node:path';
import {
  valueAt,
  withBlock,
  withMembers,
  withoutBlock,
  withoutValue,
  withValue,
} from '../../io/settings/editConfigFile.ts';

export interface SupportedEditor {
  readonly name: string;
  /** The command that the editor starts. */
  readonly starts: 'server' | 'acp';
  /** The settings file on this machine. */
  file(machine: EditorMachine): string;
  change(text: string, change: EditorChange): string;
  /** Takes the change back. */
  remove(text: string, file: string): string;
  /** A hint for the user. */
  readonly note?: string;
}

export interface EditorChange {
  readonly program: string;
  readonly file: string;
  /** The variables with which the editor finds the same host; an undefined one is removed. */
  readonly env?: { readonly [name: string]: string | undefined };
}

export interface EditorMachine {
  readonly home: string;
  readonly env: { readonly [name: string]: string | undefined };
  readonly platform: NodeJS.Platform;
  readonly exists: (path: string) => boolean;
}

const acpServer = ({ program, env = {} }: EditorChange) => ({ command: program, args: ['acp'], env });

const emacsMarks = { begin: ';; parley setup: begin', end: ';; parley setup: end' };
const nvimMarks = { begin: '-- parley setup: begin', end: '-- parley setup: end' };

const removed = (text: string, file: string, ...paths: readonly (readonly string[])[]) =>
  paths.reduce((left, path) => withoutValue(left, [...path], file), text);

/** Whether a path is that of Parley. Another one was chosen after the setup. */
const isParley = (path: unknown) =>
  typeof path === 'string' && /^parley(?:\.js|\.bat)?$/.test(path.split(/[\\/]/).at(-1) ?? '');

export const editors: { readonly [id: string]: SupportedEditor | undefined } = {
  emacs: {
    name: 'Emacs with eca-emacs',
    starts: 'server',
    file({ home, env, exists }) {
      const modern = join(configHome({ home, env }), 'emacs', 'init.el');
      const usual = join(home, '.emacs.d', 'init.el');
      const folder =
        exists(join(home, '.emacs.d')) || !exists(join(configHome({ home, env }), 'emacs')) ? usual : modern;
      return (
        [join(home, '.emacs.el'), join(home, '.emacs'), usual, modern].find((path) => exists(path)) ?? folder
      );
    },
    change: (text, { program, env = {} }) =>
      withBlock(text, {
        ...emacsMarks,
        lines: [
          ...variables(env).map(([name, value]) => `(setenv ${quote(name)} ${quote(value)})`),
          `(setq eca-custom-command '(${quote(program)} "server"))`,
        ],
      }),
    remove: (text) => withoutBlock(text, emacsMarks),
  },
  nvim: {
    name: 'Neovim with eca-nvim',
    starts: 'server',
    file({ home, env, platform, exists }) {
      const base =
        platform === 'win32'
          ? join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'nvim')
          : join(configHome({ home, env }), 'nvim');
      const lua = join(base, 'init.lua');
      return exists(lua) || !exists(join(base, 'init.vim'))
        ? lua
        : join(base, 'after', 'plugin', 'parley.lua');
    },
    change: (text, { program, env = {} }) =>
      withBlock(text, {
        ...nvimMarks,
        lines: [
          ...variables(env).map(([name, value]) => `vim.env.${name} = ${quote(value)}`),
          'do',
          '  local found, eca = pcall(require, "eca")',
          `  if found then eca.setup({ server_path = ${quote(program)} }) end`,
          'end',
        ],
      }),
    remove: (text) => withoutBlock(text, nvimMarks),
    note:
      'If your plugin manager calls eca.setup later with a server_path of its own, put this ' +
      'path there instead.',
  },
  vscode: {
    name: 'VS Code with the ECA or the ACP Client extension',
    starts: 'server',
    file: ({ home, env, platform }) => join(vscodeFolder({ home, env, platform }), 'User', 'settings.json'),
    change(text, change) {
      const { program, file } = change;
      const first = withValue(text, ['eca.serverPath'], { value: program, file });
      return withMembers(first, ['acp.agents', 'Parley'], { members: acpServer(change), file });
    },
    remove: (text, file) =>
      removed(
        text,
        file,
        ...(isParley(valueAt(text, ['eca.serverPath'], file)) ? [['eca.serverPath']] : []),
        ['acp.agents', 'Parley'],
      ),
    note:
      'For the Agents window run "Agents: Add Remote Agent Host..."; parley setup vscode ' +
      '--print shows the values.',
  },
  zed: {
    name: 'Zed',
    starts: 'acp',
    file: ({ home, env, platform }) =>
      platform === 'win32'
        ? join(env['APPDATA'] ?? join(home, 'AppData', 'Roaming'), 'Zed', 'settings.json')
        : join(
            platform === 'darwin' ? join(home, '.config') : configHome({ home, env }),
            'zed',
            'settings.json',
          ),
    change: (text, change) =>
      withMembers(text, ['agent_servers', 'Parley'], {
        members: { type: 'custom', ...acpServer(change) },
        file: change.file,
      }),
    remove: (text, file) => removed(text, file, ['agent_servers', 'Parley']),
  },
  jetbrains: {
    name: 'JetBrains IDEs',
    starts: 'acp',
    note: 'Or in the IDE: AI Chat, its menu, Add Custom Agent. JetBrains starts no such agents in WSL.',
    file: ({ home }) => join(home, '.jetbrains', 'acp.json'),
    change: (text, change) =>
      withMembers(text, ['agent_servers', 'Parley'], { members: acpServer(change), file: change.file }),
    remove: (text, file) => removed(text, file, ['agent_servers', 'Parley']),
  },
};

export function variables(env: { readonly [name: string]: string | undefined }): readonly [string, string][] {
  return Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
}

type Folders = Pick<EditorMachine, 'home' | 'env'>;

/** The XDG specification says to ignore a relative path in this variable. */
function configHome({ home, env }: Folders): string {
  const set = env['XDG_CONFIG_HOME'];
  return set !== undefined && set.startsWith('/') ? set : join(home, '.config');
}

function vscodeFolder({ home, env, platform }: Folders & Pick<EditorMachine, 'platform'>): string {
  if (platform === 'win32') return join(env['APPDATA'] ?? join(home, 'AppData', 'Roaming'), 'Code');
  return platform === 'darwin'
    ? join(home, 'Library', 'Application Support', 'Code')
    : join(configHome({ home, env }), 'Code');
}

/** A JSON string is also a valid string of Lisp and Lua. */
function quote(text: string): string {
  return JSON.stringify(text);
}
