// A small process beside ours that outlives us just long enough to end what we started. A killed process cannot clean up after itself.

import { spawn } from 'node:child_process';
import { Socket } from 'node:net';

export interface Undertaker {
  watch(leader: number): void;
  forget(leader: number): void;
  /** Nothing is left to watch. */
  dismiss(): void;
}

/**
 * It reads which process groups there are and ends them when its input ends, which happens when we do. Programs that leave by
 * themselves at the end of their own input get a moment for it.
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
for group in $groups; do kill -s KILL -- "-$group"; done
`;

/** `lost` is told when somebody ended it. Windows ends nothing by group; there the end of their input is all that programs get. */
export function hireUndertaker(lost: () => void = () => {}): Undertaker {
  if (process.platform === 'win32') return { watch: () => {}, forget: () => {}, dismiss: () => {} };
  const child = spawn('/bin/sh', ['-c', script], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  let dismissed = false;
  child.on('error', () => {});
  child.once('exit', () => dismissed || lost());
  child.stdin.on('error', () => {});
  // Neither the process nor its pipe keeps ours alive.
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return {
    watch: (leader) => void child.stdin.write(`+ ${leader}\n`),
    forget: (leader) => void child.stdin.write(`- ${leader}\n`),
    dismiss() {
      dismissed = true;
      child.stdin.end();
    },
  };
}
