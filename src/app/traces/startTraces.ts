// Sends a trace of each turn to the collector that the settings name; without one nothing is loaded or sent.
import type { Host } from '../../host/host.ts';
import type { Session } from '../../host/session/session.ts';
import { SpanExporter } from './spanExporter.ts';
import type { ExporterOptions } from './spanExporter.ts';
import { turnSpans } from './turnSpans.ts';

/** Ends with the returned function, which sends what waits. */
export function startTraces(host: Host, options: Omit<ExporterOptions, 'report'>): () => Promise<void> {
  const report = (problem: unknown) => host.report(problem, 'the traces');
  const exporter = new SpanExporter({ ...options, report });
  const followed = new WeakSet<Session>();
  const follow = (session: Session) => {
    if (followed.has(session)) return;
    followed.add(session);
    session.follow((steps) => {
      for (const { entry, after } of steps) {
        const { event } = entry;
        if (event.kind !== 'turn.ended') continue;
        const ended = after.chats[event.chat]?.turns.at(-1);
        if (ended?.id === event.turn) exporter.add(turnSpans(session.id, ended));
      }
    }, 'host');
  };
  for (const session of host.openSessions()) follow(session);
  const leave = host.follow((change) => {
    if (change.kind !== 'changed' && change.kind !== 'added') return;
    const session = host.opened(change.summary.id);
    if (session) follow(session);
  });
  return async () => {
    leave();
    await exporter.close();
  };
}
