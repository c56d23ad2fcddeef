// Drives the built host from Emacs (Debian: emacs-nox), and fails at the first thing that is not as a user
// expects it. The built-in demo model answers.
//   node test/clients/emacs/run.mjs own             our own small client of ECA and ACP
//   node test/clients/emacs/run.mjs acp FOLDER      acp.el, whose sources are in FOLDER
//   node test/clients/emacs/run.mjs eca FOLDER      eca-emacs, whose sources are in FOLDER
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const parley = join(import.meta.dirname, '..', '..', '..', 'bin', 'parley.js');
const clients = {
  own: { script: 'own.el', flags: ['-Q'] },
  acp: { script: 'with-acp.el', flags: ['-Q'], file: 'acp.el', from: 'github.com/xenodium/acp.el' },
  // Its libraries come from Debian's packages, which Emacs finds only without -Q.
  eca: {
    script: 'with-eca.el',
    flags: [],
    file: 'eca.el',
    from: 'github.com/editor-code-assistant/eca-emacs, and elpa-dash elpa-s elpa-f elpa-markdown-mode elpa-compat',
  },
};

const [name, folder = '.'] = process.argv.slice(2);
const client = clients[name];
if (!client) throw new Error(`Which client? ${Object.keys(clients).join(', ')}`);
if (client.file && !existsSync(join(folder, client.file))) {
  process.stdout.write(
    `Skipped: ${client.file} is not in ${resolve(folder)}. It is to be had from ${client.from}.\n`,
  );
  process.exit(0);
}

const home = mkdtempSync(join(tmpdir(), 'parley-emacs-'));
const workspace = join(home, 'work');
mkdirSync(workspace);
const env = {
  ...process.env,
  HOME: home,
  PARLEY_HOME: join(home, 'home'),
  DRIVE_NODE: process.execPath,
  DRIVE_PARLEY: parley,
  DRIVE_WORKSPACE: workspace,
  DRIVE_SOURCES: resolve(folder),
};
try {
  // acp.el takes all of standard error for errors; on a slow machine it says there that the host is starting.
  if (name === 'acp') execFileSync(process.execPath, [parley, 'sessions'], { env, stdio: 'ignore' });
  const script = join(import.meta.dirname, client.script);
  const { status, error } = spawnSync('emacs', ['--batch', ...client.flags, '-l', script], {
    env,
    stdio: 'inherit',
  });
  if (error) throw error;
  process.exitCode = status ?? 1;
} finally {
  execFileSync(process.execPath, [parley, 'stop'], { env, stdio: 'ignore' });
  rmSync(home, { recursive: true, force: true, maxRetries: 10 });
}
