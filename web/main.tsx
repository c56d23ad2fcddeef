// Entry point of the console: signs in by the link, connects to the host and renders the page.
import { options, render } from 'preact';
import { deviceName } from '../src/base/deviceName.ts';
import { createClient } from '../client/connection/client.ts';
import type { Client } from '../client/connection/client.ts';
import { storeToken, takeCode, takeToken } from './client/credentials.ts';
import { freshId } from '../client/connection/freshId.ts';
import { connectionProof, redeemCode } from './client/pageKey.ts';
import { laterSocketWire, socketAddress, socketWire, tokenQuery } from '../client/connection/socket.ts';
import { ClientContext } from './state/app.ts';
import { runClock } from './state/clock.ts';
import { createInbox, InboxContext } from './state/inbox.ts';
import { announceWaitingSessions } from './state/notify.ts';
import { rememberLayout } from './views/review/marks.ts';
import { followAddress, goTo } from './state/route.ts';
import { archiveOpenSession } from './state/sessionChanges.ts';
import { listenForShortcuts } from './state/shortcuts.ts';
import { rememberSidebar } from './state/sidebar.ts';
import { signInProblem } from './state/signInProblem.ts';
import { applyTheme } from './state/theme.ts';
import { registerWorker } from './worker/push.ts';
import { App } from './views/frame/App.tsx';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/sidebar.css';
import './styles/transcript.css';
import './styles/ask.css';
import './styles/compose.css';
import './styles/pages.css';
import './styles/review.css';
import './styles/narrow.css';

// Render at most once per frame, however many deltas arrive. A hidden page gets no frames,
// so it renders by timer.
options.debounceRendering = (draw) => {
  if (document.hidden) setTimeout(draw, 250);
  else requestAnimationFrame(draw);
};

applyTheme();
rememberSidebar();
rememberLayout();
const code = takeCode(window);
const signedIn = code === undefined ? Promise.resolve() : signInByCode(code);
followAddress();
runClock();
void registerWorker();

const page = document.querySelector('#app');
if (page) start(page);

function start(root: Element): void {
  let client = connect();
  const draw = (): void => {
    const inbox = createInbox(client);
    announceWaitingSessions(inbox.waiting, (session) => goTo({ page: 'session', session }));
    render(
      <ClientContext.Provider value={client}>
        <InboxContext.Provider value={inbox}>
          <App inbox={inbox} onToken={signIn} />
        </InboxContext.Provider>
      </ClientContext.Provider>,
      root,
    );
  };
  const signIn = (newToken: string): void => {
    storeToken(newToken, sessionStorage);
    client.stop();
    client = connect();
    draw();
  };
  const wake = (): void => {
    if (!document.hidden) client.retryNow();
  };
  listenForShortcuts(() => archiveOpenSession(client));
  addEventListener('online', wake);
  document.addEventListener('visibilitychange', wake);
  draw();
}

async function signInByCode(given: string): Promise<void> {
  const result = await redeemCode(given).catch(() => ({
    problem: 'Signing in failed. Run parley for a new link.',
  }));
  if ('problem' in result) signInProblem.value = result.problem;
  if ('token' in result) storeToken(result.token, localStorage);
}

/**
 * A token was chosen by the user, so it is tried first. Without one a proxy in front of the host may sign in
 * for us.
 */
function connect(): Client {
  const token = takeToken(window);
  const byToken = token === undefined ? [] : [socketWire(socketAddress(location, tokenQuery(token)))];
  const byKey = laterSocketWire(async () => {
    await signedIn;
    const proof = await connectionProof();
    return proof === undefined ? undefined : socketAddress(location, proof);
  });
  const asIs = laterSocketWire(async () => {
    await signedIn;
    const stored = takeToken(window);
    return socketAddress(location, stored === undefined ? '' : tokenQuery(stored));
  });
  const wires = [...byToken, byKey, ...(token === undefined ? [asIs] : [])];
  const name = deviceName(navigator.userAgent);
  const client = createClient({ clientId: freshId(), name, wires, isHostUp });
  client.start();
  return client;
}

async function isHostUp(): Promise<boolean> {
  try {
    return (await fetch('/healthz', { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}
