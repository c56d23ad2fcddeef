// Opens a page in the user's browser. Does nothing without a display or with `BROWSER=none`: callers
// show the address, too.
import { spawn } from 'node:child_process';

export function openBrowser(link: string): void {
  if (!/^https?:\/\//.test(link) || process.env['BROWSER'] === 'none') return;
  if (process.platform === 'linux' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY']) return;
  // The address may come from a remote server, so it never passes through a shell.
  const launchers: { readonly [platform: string]: readonly string[] } = {
    darwin: ['open'],
    win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  };
  const [command = '', ...args] = launchers[process.platform] ?? ['xdg-open'];
  spawn(command, [...args, link], { detached: true, stdio: 'ignore' })
    .on('error', () => {})
    .unref();
}
