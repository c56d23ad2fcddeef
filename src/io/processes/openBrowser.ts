// Opens a page in the user's browser. Does nothing without a display or with `BROWSER=none`: callers
// show the address, too. The link may sign its reader in, so only the system's own program gets it.
import { spawn } from 'node:child_process';
import { systemFolders } from './environment.ts';
import { findProgram } from './findProgram.ts';

export function openBrowser(link: string): void {
  if (!/^https?:\/\//.test(link) || process.env['BROWSER'] === 'none') return;
  if (process.platform === 'linux' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY']) return;
  // The address may come from a remote server, so it never passes through a shell.
  const launchers: { readonly [platform: string]: readonly string[] | undefined } = {
    darwin: ['/usr/bin/open'],
    win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  };
  const system = findProgram('xdg-open', { PATH: systemFolders });
  const [command, ...args] = launchers[process.platform] ?? (system === undefined ? [] : [system]);
  if (command === undefined) return;
  // It is a script that looks for other programs, also for those that the system does not have.
  const env = process.platform === 'win32' ? process.env : { ...process.env, PATH: systemFolders };
  spawn(command, [...args, link], { env, detached: true, stdio: 'ignore' })
    .on('error', () => {})
    .unref();
}
