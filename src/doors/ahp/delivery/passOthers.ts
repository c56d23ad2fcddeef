// A client may come from another host of the same store: its numbers go on behind all that it has seen there.
import type { Host } from '../../../host/host.ts';

/** A database that is away for longer does not keep clients from what this host can show, in milliseconds. */
const patience = 10_000;
const pause = 100;

/** To be called before a client that this host does not know is shown anything. */
export async function passOthers(host: Pick<Host, 'isShared' | 'passOthers' | 'clock'>): Promise<void> {
  if (!host.isShared) return;
  await new Promise<void>((done) => {
    let isLate = false;
    const recall = host.clock.after(patience, () => {
      isLate = true;
      done();
    });
    const arrived = () => {
      recall();
      done();
    };
    const ask = (): void =>
      void host.passOthers().then(arrived, () => isLate || void host.clock.after(pause, ask));
    ask();
  });
}
