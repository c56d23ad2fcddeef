// The gallery: every component of the console in every state, on one page. It is built for people and for the
// visual test, and is no part of the package.
import { render } from 'preact';
import { ChatContext } from '../state/chat.ts';
import { now } from '../state/clock.ts';
import { paletteOpen } from '../state/palette.ts';
import { route } from '../state/route.ts';
import { shortcutsOpen } from '../state/shortcuts.ts';
import { pins } from '../state/sidebar.ts';
import { pauseToasts, toast } from '../state/toasts.ts';
import { Basics } from './areas/Basics.tsx';
import { Compose } from './areas/Compose.tsx';
import { Frame } from './areas/Frame.tsx';
import { Review } from './areas/Review.tsx';
import { Panels, Session } from './areas/Session.tsx';
import { Pages, Sessions } from './areas/Sessions.tsx';
import { MoreSettings, Settings, SettingsWithout } from './areas/Settings.tsx';
import { Asks, Conversation } from './areas/Turns.tsx';
import { addForcedStates } from './forcedStates.ts';
import { keepInPage } from './inPage.ts';
import { Host } from './Part.tsx';
import { shop } from './samples/sessions.ts';
import { galleryTime } from './samples/time.ts';
import { world } from './samples/world.ts';
import { chat, nothing } from './surroundings.ts';
import '../styles/tokens.css';
import '../styles/base.css';
import '../styles/controls.css';
import '../styles/sidebar.css';
import '../styles/transcript.css';
import '../styles/ask.css';
import '../styles/compose.css';
import '../styles/pages.css';
import '../styles/review.css';
import '../styles/narrow.css';
import './gallery.css';

keepInPage();
now.value = galleryTime;
route.value = { page: 'inbox' };
pins.value = new Set([shop]);
paletteOpen.value = true;
shortcutsOpen.value = true;
toast('info', 'Session archived', { label: 'Undo', run: nothing });
toast('problem', 'The host refused this: the session is gone.');
pauseToasts(true);

const page = document.querySelector('#app');
if (page)
  render(
    <Host tables={world}>
      <ChatContext.Provider value={chat}>
        <main class="gallery">
          <h1>Parley console: components</h1>
          <Basics />
          <Frame />
          <Sessions />
          <Pages />
          <Compose />
          <Conversation />
          <Asks />
          <Session />
          <Panels />
          <Review />
          <Settings />
          <MoreSettings />
          <SettingsWithout />
        </main>
      </ChatContext.Provider>
    </Host>,
    page,
  );
addForcedStates();
