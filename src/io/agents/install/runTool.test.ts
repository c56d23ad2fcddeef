// What is told of a tool that fails, with programs that print what the real ones do.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runTool } from './runTool.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'parley-tool-'))));
afterEach(() => rmSync(folder, { recursive: true }));

check(
  'npm without the package',
  [
    'npm warn Unknown user config "x".',
    'npm error code E404',
    'npm error 404 Not Found - GET https://registry.example/nope',
    'npm error 404',
    "npm error 404  The requested resource 'nope@1' could not be found.",
    'npm error 404',
    'npm error 404 Note that you can also install from a',
    'npm error 404 tarball, folder, http url, or git url.',
    'npm notice',
    'npm notice New minor version of npm available! 11.0.0 -> 11.6.2',
    'npm error A complete log of this run can be found in: /x',
  ],
  "404 Not Found - GET https://registry.example/nope\n404  The requested resource 'nope@1' could not be found.",
);
check(
  'an older npm without a connection',
  [
    'npm ERR! code ENOTFOUND',
    'npm ERR! syscall getaddrinfo',
    'npm ERR! errno ENOTFOUND',
    'npm ERR! network request to https://x failed, reason: getaddrinfo ENOTFOUND x',
    'npm ERR! network This is a problem related to network connectivity.',
  ],
  'network request to https://x failed, reason: getaddrinfo ENOTFOUND x',
);
check('another tool', ['one', 'two', 'error: no such package'], 'one\ntwo\nerror: no such package');

function check(what: string, printed: readonly string[], cause: string): void {
  test(`${what} is told by its cause`, async () => {
    const quoted = printed.map((line) => `'${line.replaceAll("'", "'\\''")}'`).join(' ');
    writeFileSync(join(folder, 'npm'), `#!/bin/sh\nprintf '%s\\n' ${quoted} >&2\nexit 1\n`, { mode: 0o700 });
    const env = { PATH: `${folder}:/bin:/usr/bin` };
    await expect(runTool('npm', [], { env, signal: new AbortController().signal })).rejects.toThrow(
      `npm failed: ${cause}`,
    );
  });
}
