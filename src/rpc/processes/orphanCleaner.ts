// A small helper process that ends our child processes if we are killed, since a killed
// process cannot clean up.

import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { endStraysScript } from './strayProcesses.ts';

export interface OrphanCleaner {
  /** Processes that left the group are found by the mark of their call. */
  watch(leader: number, mark?: string): void;
  forget(leader: number, mark?: string): void;
  /** Call it when there are no more groups to watch. */
  stop(): void;
}

/**
 * It reads the process groups from its input and ends them when its input ends, which happens when we exit.
 * Programs that exit at the end of their own input get a moment for it.
 */
const script = `
trap '' HUP INT TERM
groups=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
  esac
done
[ "$groups" = ' ' ] && exit
sleep 1
for group in $groups; do kill -s KILL -- "-\${group%%:*}"; done
for group in $groups; do
  mark=\${group#*:}
  [ -n "$mark" ] && ${endStraysScript}
done
`;

/**
 * `lost` is called if it is killed. Windows has no process groups; there programs only notice
 * the end of their input.
 */
export function startOrphanCleaner(lost: () => void = () => {}): OrphanCleaner {
  if (process.platform === 'win32') return { watch: () => {}, forget: () => {}, stop: () => {} };
  const child = spawn('/bin/sh', ['-c', script], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  let stopped = false;
  child.on('error', () => {});
  child.once('exit', () => stopped || lost());
  child.stdin.on('error', () => {});
  // Neither the process nor its pipe keeps this process alive.
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return {
    watch: (leader, mark = '') => void child.stdin.write(`+ ${leader}:${mark}\n`),
    forget: (leader, mark = '') => void child.stdin.write(`- ${leader}:${mark}\n`),
    stop() {
      stopped = true;
      child.stdin.end();
    },
  };
}
