// The console begins here: who we are, how to reach the host, and the first drawing.
import { options, render } from 'preact';
import { createClient } from './client/client.ts';
import type { Client } from './client/client.ts';
import { keepToken, takeToken } from './client/credentials.ts';
import { freshId } from './client/freshId.ts';
import { hostAddress, socketWire } from './client/socket.ts';
import { ClientContext } from './state/app.ts';
import { runClock } from './state/clock.ts';
import { createInbox } from './state/inbox.ts';
import { watchWaiting } from './state/notify.ts';
import { followAddress, goTo } from './state/route.ts';
import { listenForShortcuts } from './state/shortcuts.ts';
import { applyTheme } from './state/theme.ts';
import { App } from './views/frame/App.tsx';
import './styles/base.css';
import './styles/frame.css';
import './styles/transcript.css';
import './styles/forms.css';

// Once per frame is enough, however many words arrive in it. A page in the background draws no frames and needs few.
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
    watchWaiting(inbox.waiting, (session) => goTo({ page: 'session', session }));
    render(
      <ClientContext.Provider value={client}>
        <App inbox={inbox} onToken={signIn} />
      </ClientContext.Provider>,
      root,
    );
  };
  const signIn = (given: string): void => {
    keepToken(given, sessionStorage);
    client.stop();
    client = connect(given);
    draw();
  };
  const wake = (): void => {
    if (!document.hidden) client.retryNow();
  };
  addEventListener('online', wake);
  document.addEventListener('visibilitychange', wake);
  draw();
}

/** The cookie of a browser that signed in goes along by itself, so it is tried first. */
function connect(given: string | undefined): Client {
  const wires = [hostAddress(location), ...(given === undefined ? [] : [hostAddress(location, given)])].map(
    socketWire,
  );
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
