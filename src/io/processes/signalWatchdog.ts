// Ends this process some time after a signal, even if its event loop is blocked.
import { Worker } from 'node:worker_threads';

export interface SignalWatchdog {
  close(): void;
}

/**
 * Kills this process `grace` milliseconds after the first of the signals, or at the second one. The caller
 * ends in good order before that. Signal handlers of Node run on the main thread only, so a thread of its
 * own asks the system for the signals; a version of Node that does not allow that has no watchdog.
 */
export function watchSignals(signals: readonly NodeJS.Signals[], grace: number): SignalWatchdog {
  const worker = new Worker(watchdog, {
    eval: true,
    workerData: { signals, grace },
    resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 8, stackSizeMb: 1 },
  });
  worker.unref();
  worker.on('error', () => {});
  return { close: () => void worker.terminate() };
}

const watchdog = `
const { workerData } = require('node:worker_threads');
const { constants } = require('node:os');
const { writeSync } = require('node:fs');
process.noDeprecation = true;
const { Signal } = process.binding('signal_wrap');
let isEnding = false;
const kill = (why) => {
  try {
    writeSync(2, 'parley: ' + why + '\\n');
  } catch {}
  process.kill(process.pid, 'SIGKILL');
};
for (const name of workerData.signals) {
  const signal = new Signal();
  signal.onsignal = () => {
    if (isEnding) kill('The host was killed by a second signal.');
    isEnding = true;
    setTimeout(kill, workerData.grace, 'The host was killed because it did not stop in time.');
  };
  signal.start(constants.signals[name]);
}
`;
