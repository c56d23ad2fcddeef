// Makes a fresh clone ready for `npm start` and `npm test`: installs and builds what is missing or
// outdated. It runs before anything is installed, so it uses Node's built-ins only. Its output goes to
// stderr: stdout is the program's.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isBuilt } from './stamp.mjs';

const emulation = 'one agent that the tests start exists for x64 only';

/**
 * Programs that the tests need and npm does not have: the command, or a file, and the Debian package that
 * contains it.
 */
const testPrograms = [
  { command: 'chromium', debianPackage: 'chromium', reason: 'the console is tested in a real browser' },
  {
    command: '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf',
    debianPackage: 'fonts-dejavu-core',
    reason: 'pictures of the console are compared',
  },
  { command: 'bwrap', debianPackage: 'bubblewrap', reason: 'attacks on the sandbox are tried' },
  { command: 'emacs', debianPackage: 'emacs-nox', reason: 'an editor drives the host over its protocols' },
  { command: 'zsh', debianPackage: 'zsh', reason: 'commands are tested in the shells that people use' },
  { command: 'psql', debianPackage: 'postgresql', reason: 'sessions are stored in a real database' },
  { command: '/usr/sbin/haproxy', debianPackage: 'haproxy', reason: 'the deployment is started' },
  ...(process.arch === 'x64'
    ? []
    : [
        { command: 'qemu-x86_64', debianPackage: 'qemu-user', reason: emulation },
        { command: '/lib/x86_64-linux-gnu/libc.so.6', debianPackage: 'libc6:amd64', reason: emulation },
        {
          command: '/usr/lib/x86_64-linux-gnu/libstdc++.so.6',
          debianPackage: 'libstdc++6:amd64',
          reason: emulation,
        },
        {
          command: '/usr/lib/x86_64-linux-gnu/libgomp.so.1',
          debianPackage: 'libgomp1:amd64',
          reason: emulation,
        },
      ]),
];

process.chdir(join(import.meta.dirname, '..'));
install('.');
if (!isBuilt()) run(process.execPath, ['scripts/build.mjs']);
if (process.argv[2] === 'test') {
  install('test/realAgents');
  install('test/realAgents/goose', '--cpu=x64', '--force');
  installPrograms(testPrograms.filter(isMissing));
}

function install(folder, ...flags) {
  if (isInstalled(folder)) return;
  process.stderr.write(`Installing the dependencies of ${folder === '.' ? 'Parley' : folder} ...\n`);
  // npm's warnings are about development tools; a newcomer cannot do anything about them.
  run('npm', [
    'ci',
    '--prefix',
    folder,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    ...flags,
  ]);
}

/** Compares the lockfile with npm's own record of what it installed, which npm writes last. */
function isInstalled(folder) {
  const installed = readPackages(join(folder, 'node_modules/.package-lock.json'));
  if (!installed) return false;
  const all = readPackages(join(folder, 'package-lock.json'));
  const named = Object.keys(all['']?.optionalDependencies ?? {}).map((name) => `node_modules/${name}`);
  return Object.entries(all).every(([path, wanted]) => {
    const found = installed[path];
    // Many optional packages are for other platforms. Those that we name ourselves say so if they are.
    const isOptional = wanted.optional && (!named.includes(path) || wanted.os || wanted.cpu);
    if (path === '' || (!found && isOptional)) return true;
    // The lockfile may lack the checksum of a platform's build (see lockfile.mjs); npm's record has it.
    return found?.version === wanted.version && found?.integrity === (wanted.integrity ?? found?.integrity);
  });
}

function readPackages(lockfile) {
  return existsSync(lockfile) ? JSON.parse(readFileSync(lockfile, 'utf8')).packages : undefined;
}

function isMissing({ command }) {
  return !process.env.PATH.split(delimiter).some((folder) =>
    existsSync(join(command.startsWith('/') ? '' : folder, command)),
  );
}

/** Installs Debian packages as root only, and says so first; everybody else is told what to install. */
function installPrograms(missing) {
  if (missing.length === 0) return;
  const packages = missing.map(({ debianPackage }) => debianPackage);
  const list = missing.map(({ debianPackage, reason }) => `  ${debianPackage}: ${reason}\n`).join('');
  if (process.getuid?.() !== 0 || isMissing({ command: 'apt-get' })) {
    fail(
      `The tests need programs that are not installed:\n${list}` +
        `Install them and try again. On Debian: sudo apt-get install ${packages.join(' ')}`,
    );
  }
  process.stderr.write(`Installing Debian packages for the tests, because this runs as root:\n${list}`);
  if (packages.some((name) => name.endsWith(':amd64'))) run('dpkg', ['--add-architecture', 'amd64']);
  run('apt-get', ['update', '-q']);
  run('apt-get', ['install', '-q', '-y', '--no-install-recommends', ...packages]);
}

function run(command, args) {
  const shell = process.platform === 'win32' && command === 'npm';
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 2, 2], shell });
  if (status !== 0) fail(`\`${[command, ...args].join(' ')}\` failed${error ? `: ${error.message}` : '.'}`);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
