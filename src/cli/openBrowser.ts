// Opens a page in the user's browser. Where there is none, or `BROWSER=none` says so, nothing happens: the address was told anyway.
import { spawn } from 'node:child_process';

export function openBrowser(link: string): void {
  if (!/^https?:\/\//.test(link) || process.env['BROWSER'] === 'none') return;
  if (process.platform === 'linux' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY']) return;
  // No shell reads the address, which strangers may have written.
  const ways: { readonly [platform: string]: readonly string[] } = {
    darwin: ['open'],
    win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  };
  const [command = '', ...args] = ways[process.platform] ?? ['xdg-open'];
  spawn(command, [...args, link], { detached: true, stdio: 'ignore' })
    .on('error', () => {})
    .unref();
}
