// Says when the connection to the host is away, and what happens about it.
import { useEffect, useState } from 'preact/hooks';
import { useClient } from '../../state/app.ts';

export function ConnectionBanner() {
  const client = useClient();
  const link = client.link.value;
  return (
    <div class="connection" role="status" aria-live="polite">
      {link.kind === 'connecting' && <p>Connecting…</p>}
      {link.kind === 'reconnecting' && (
        <p>
          Reconnecting… {link.retryAt !== undefined && <Countdown until={link.retryAt} />}{' '}
          <button type="button" onClick={() => client.retryNow()} disabled={link.retryAt === undefined}>
            Try now
          </button>
        </p>
      )}
      {link.kind === 'online' && client.authRequired.value.size > 0 && (
        <p>
          A sign-in is due: <a href="#/settings">Settings</a>
        </p>
      )}
      {link.kind === 'incompatible' && <p class="problem">{link.why} Update the program or this page.</p>}
    </div>
  );
}

function Countdown({ until }: { readonly until: number }) {
  const [left, setLeft] = useState(secondsTo(until));
  useEffect(() => {
    setLeft(secondsTo(until));
    const timer = setInterval(() => setLeft(secondsTo(until)), 1000);
    return () => clearInterval(timer);
  }, [until]);
  // Every second would be a word too many for a screen reader.
  return <span aria-hidden="true">{left > 1 ? `next try in ${left} s` : ''}</span>;
}

function secondsTo(time: number): number {
  return Math.max(0, Math.ceil((time - Date.now()) / 1000));
}
