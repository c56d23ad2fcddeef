// Entry point of the console: reads the sign-in token, connects to the host and renders the page.
import { options, render } from 'preact';
import { createClient } from './client/client.ts';
import type { Client } from './client/client.ts';
import { storeToken, takeToken } from './client/credentials.ts';
import { freshId } from './client/freshId.ts';
import { socketAddress, socketWire } from './client/socket.ts';
import { ClientContext } from './state/app.ts';
import { runClock } from './state/clock.ts';
import { createInbox } from './state/inbox.ts';
import { announceWaitingSessions } from './state/notify.ts';
import { followAddress, goTo } from './state/route.ts';
import { listenForShortcuts } from './state/shortcuts.ts';
import { applyTheme } from './state/theme.ts';
import { App } from './views/frame/App.tsx';
import './styles/base.css';
import './styles/frame.css';
import './styles/transcript.css';
import './styles/forms.css';

// Render at most once per frame, however many deltas arrive. A hidden page gets no frames,
// so it renders by timer.
options.debounceRendering = (draw) => {
  if (document.hidden) setTimeout(draw, 250);
  else requestAnimationFrame(draw);
};

applyTheme();
const token = takeToken(window);
followAddress();
runClock();
listenForShortcuts();

const page = document.querySelector('#app');
if (page) start(page);

function start(root: Element): void {
  let client = connect(token);
  const draw = (): void => {
    const inbox = createInbox(client);
    announceWaitingSessions(inbox.waiting, (session) => goTo({ page: 'session', session }));
    render(
      <ClientContext.Provider value={client}>
        <App inbox={inbox} onToken={signIn} />
      </ClientContext.Provider>,
      root,
    );
  };
  const signIn = (newToken: string): void => {
    storeToken(newToken, sessionStorage);
    client.stop();
    client = connect(newToken);
    draw();
  };
  const wake = (): void => {
    if (!document.hidden) client.retryNow();
  };
  addEventListener('online', wake);
  document.addEventListener('visibilitychange', wake);
  draw();
}

/** The browser sends a sign-in cookie without our help, so the address without a token is tried first. */
function connect(signInToken: string | undefined): Client {
  const withToken = signInToken === undefined ? [] : [socketAddress(location, signInToken)];
  const wires = [socketAddress(location), ...withToken].map(socketWire);
  const client = createClient({ clientId: freshId(), wires, isHostUp });
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
