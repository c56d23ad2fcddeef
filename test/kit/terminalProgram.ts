// Opens a terminal with stubborn processes in it, names them, and waits to be killed.
import { terminals } from '../../src/io/pty/pty.ts';

const script = `trap '' HUP TERM; set -m
echo pid $$
sh -c 'trap "" HUP; echo pid $$; exec sleep 300' &
sh -c 'echo pid $$; kill -STOP $$; exec sleep 300' &
wait; sleep 300`;

void terminals().open({
  program: { kind: 'command', line: script },
  cwd: '/',
  cols: 80,
  rows: 24,
  data: (text) => void process.stdout.write(text),
  exited: () => {},
});
