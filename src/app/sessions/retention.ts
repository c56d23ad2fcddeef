// Removes archived sessions that are older than the user wants to keep; never one that
// somebody may still be in.
import type { Host } from '../../host/host.ts';
import type { Settings } from '../../host/settings/settings.ts';

const day = 86_400_000;

/** Looks once soon, and then every day until the returned function is called. */
export function keepTidy(host: Host, settings: Settings): () => void {
  let recall = () => {};
  const look = async () => {
    const { days } = settings.of([]).retention;
    const limit = host.clock.now() - days * day;
    const old =
      days === 0
        ? []
        : host
            .summaries()
            .filter(
              ({ archived, modifiedAt, status }) =>
                archived && modifiedAt < limit && (status === 'idle' || status === 'failed'),
            );
    for (const { id } of old)
      await host.remove(id).catch((error: unknown) => host.report(error, `removing session ${id}`));
    recall = host.clock.after(day, () => void look());
  };
  recall = host.clock.after(1_000, () => void look());
  return () => recall();
}
