// Chooses the program of a terminal, and sets up bash and zsh to report commands and the working directory.
import type { Beginning } from '../../rpc/processes/beginning.ts';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import type { Program } from '../../host/terminals/pty.ts';
import { sequencePrefix } from '../../host/terminals/shellIntegration.ts';
import { bashStart } from './shellBash.ts';
import type { ShellFacts, ShellStart } from './shellStart.ts';
import { zshStart } from './shellZsh.ts';

export interface ShellLaunch extends Beginning {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
  /** The title until the program sets another one. */
  readonly name: string;
  readonly nonce: string | undefined;
  /** Removes the start-up files. */
  dispose(): void;
}

type Environment = { readonly [name: string]: string | undefined };

export function launchOf(program: Program, env: Environment): ShellLaunch {
  if (program.kind === 'file') return plain(program.file, program.args, basename(program.file));
  if (program.kind === 'command') return commandLine(program.line, env);
  const shell = userShell(env);
  const name = basename(shell);
  const start = Object.hasOwn(starts, name) ? starts[name] : undefined;
  return start && process.platform !== 'win32' ? integrated(shell, start, env) : plain(shell, [], name);
}

const starts: { readonly [shell: string]: ((facts: ShellFacts) => ShellStart) | undefined } = {
  bash: bashStart,
  zsh: zshStart,
};

function plain(file: string, args: readonly string[], name: string): ShellLaunch {
  return { file, args, env: {}, name, nonce: undefined, dispose: () => {} };
}

function commandLine(line: string, env: Environment): ShellLaunch {
  const name = line.trim().split(/\s+/, 1)[0] ?? '';
  if (process.platform === 'win32') return plain(env['COMSPEC'] ?? 'cmd.exe', ['/d', '/s', '/c', line], name);
  return plain(existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh', ['-c', line], name);
}

function userShell(env: Environment): string {
  if (process.platform === 'win32') return env['COMSPEC'] ?? 'cmd.exe';
  const candidates = [env['SHELL'] ?? '', '/bin/bash', '/bin/zsh'];
  return candidates.find((shell) => isAbsolute(shell) && existsSync(shell)) ?? '/bin/sh';
}

function integrated(shell: string, start: (facts: ShellFacts) => ShellStart, env: Environment): ShellLaunch {
  const directory = mkdtempSync(join(env['TMPDIR'] || tmpdir(), 'parley-shell-'));
  const nonce = randomUUID();
  const home = env['ZDOTDIR'] ?? env['HOME'] ?? '/';
  const { files, args, env: added } = start({ directory, home, mark: sequencePrefix(nonce) });
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(directory, name), text, { mode: 0o600, flag: 'wx' });
  return {
    file: shell,
    args,
    env: added,
    name: basename(shell),
    nonce,
    dispose: () => rmSync(directory, { recursive: true, force: true }),
  };
}
