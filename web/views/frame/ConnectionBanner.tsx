// Shows that the host is not connected, and when the next attempt is.
import { useEffect, useState } from 'preact/hooks';
import { useClient } from '../../state/app.ts';

export function ConnectionBanner() {
  const client = useClient();
  const connection = client.connection.value;
  return (
    <div class="connection" role="status" aria-live="polite">
      {connection.kind === 'connecting' && <p class="banner">Connecting…</p>}
      {connection.kind === 'reconnecting' && (
        <p class="banner">
          <span class="status running" />
          <span>
            Reconnecting… {connection.retryAt !== undefined && <Countdown until={connection.retryAt} />}
          </span>{' '}
          <button
            type="button"
            class="btn ghost small"
            onClick={() => client.retryNow()}
            disabled={connection.retryAt === undefined}
          >
            Try now
          </button>
        </p>
      )}
      {connection.kind === 'online' && client.authRequired.value.size > 0 && (
        <p class="banner">
          Sign-in required: <a href="#/settings">Settings</a>
        </p>
      )}
      {connection.kind === 'incompatible' && (
        <p class="banner bad">{connection.reason} Update Parley or reload this page.</p>
      )}
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
  // Hidden from screen readers, which would read it every second.
  return <span aria-hidden="true">{left > 1 ? `next attempt in ${left} s` : ''}</span>;
}

function secondsTo(time: number): number {
  return Math.max(0, Math.ceil((time - Date.now()) / 1000));
}
