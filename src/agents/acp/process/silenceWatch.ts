// Detects that an agent is silent: to tell the user, or to know that it is done.
import type { Clock } from '../../../host/ports.ts';
import type { AgentProcess } from './agentProcess.ts';
import { QuietTimer } from './quietTimer.ts';

export interface SilenceOptions {
  readonly link: AgentProcess;
  readonly clock: Clock;
  readonly milliseconds: number;
}

/**
 * Calls `warn` when nothing was heard for a while, and more rarely the longer it lasts; the
 * returned function ends it.
 */
export function warnOfSilence(
  { link, clock, milliseconds }: SilenceOptions,
  warn: (milliseconds: number) => void,
): () => void {
  let wait = milliseconds;
  const start = (): QuietTimer =>
    new QuietTimer({ clock, milliseconds: wait, pace: link.pace }, () => {
      warn(wait);
      wait *= 5;
      quiet = start();
    });
  let quiet = start();
  const deafen = link.listen(() => {
    wait = milliseconds;
    quiet.restart();
  });
  return () => {
    deafen();
    quiet.end();
  };
}

/** Resolves once the agent has been silent for so long; rejects when it is gone. */
export function silenceOf({ link, clock, milliseconds }: SilenceOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const quiet = new QuietTimer({ clock, milliseconds, pace: link.pace }, () => {
      deafen();
      resolve();
    });
    const deafen = link.listen(() => quiet.restart());
    void link.left.then(({ message }) => {
      quiet.end();
      deafen();
      return reject(new Error(message));
    });
  });
}
