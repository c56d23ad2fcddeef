// What the AHP door is given of this machine: files, terminals, and which folders are our own.
import type { AhpOptions } from '../doors/ahp/dialect.ts';
import { TerminalHub } from '../host/terminals.ts';
import { directories } from '../io/paths.ts';
import { terminals } from '../io/pty.ts';
import { resourceFiles } from '../io/resourceFiles.ts';
import { hubOf } from './terminalHubs.ts';

export function ahpPorts(env: NodeJS.ProcessEnv): Pick<AhpOptions, 'files' | 'own' | 'terminals'> {
  return {
    files: resourceFiles(),
    own: Object.values(directories(env)),
    terminals: (host) => hubOf(host, () => new TerminalHub(host, terminals({ env }))),
  };
}
