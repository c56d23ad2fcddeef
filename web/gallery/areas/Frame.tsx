// What stands around a page: sidebar, rail, phone header, banners, sign-in, palette, shortcuts, messages.
import type { ConnectionState } from '../../../client/connection/hostConnection.ts';
import { ConnectionBanner } from '../../views/frame/ConnectionBanner.tsx';
import { Palette } from '../../views/frame/Palette.tsx';
import { PhoneHead } from '../../views/frame/PhoneHead.tsx';
import { Rail } from '../../views/frame/Rail.tsx';
import { ShortcutsDialog } from '../../views/frame/ShortcutsDialog.tsx';
import { Sidebar } from '../../views/frame/Sidebar.tsx';
import { SignIn } from '../../views/frame/SignIn.tsx';
import { Toasts } from '../../views/frame/Toasts.tsx';
import { SearchHits } from '../../views/pages/SearchHits.tsx';
import { Area, Host, Opened, Part, Stage } from '../Part.tsx';
import { galleryTime } from '../samples/time.ts';
import { world } from '../samples/world.ts';
import { nothing } from '../surroundings.ts';

const connections: readonly ConnectionState[] = [
  { kind: 'connecting' },
  { kind: 'reconnecting', retryAt: galleryTime + 8000 },
  { kind: 'reconnecting' },
  { kind: 'incompatible', reason: 'The host speaks AHP 3.' },
];

const signIn = { resource: 'https://mcp.example.com', resource_name: 'Example' };

export function Frame() {
  return (
    <Area title="Frame">
      <Part title="Sidebar and rail">
        <Opened>
          <Stage size="tall">
            <div class="app without-menu">
              <Sidebar waiting={2} />
              <Rail waiting={2} />
            </div>
          </Stage>
        </Opened>
      </Part>
      <Part title="Phone header">
        <PhoneHead waiting={0} />
        <PhoneHead waiting={2} />
        <p class="note desk-only">Shown in narrow windows only.</p>
      </Part>
      <Part title="Connection">
        {connections.map((connection, index) => (
          <Host key={index} tables={{ ...world, connection }}>
            <ConnectionBanner />
          </Host>
        ))}
        <Host tables={{ ...world, authRequired: [signIn] }}>
          <ConnectionBanner />
        </Host>
      </Part>
      <Part title="Sign in">
        <SignIn onToken={nothing} />
      </Part>
      <Part title="Palette">
        <Palette />
      </Part>
      <Part title="Search in transcripts">
        <Hits />
      </Part>
      <Part title="Shortcuts">
        <ShortcutsDialog />
      </Part>
      <Part title="Messages">
        <div class="still-list">
          <Toasts />
        </div>
      </Part>
    </Area>
  );
}

const line = 'In src/cart.js the function total adds prices without the quantity.';

function Hits() {
  const hits = [
    { id: 'docs', title: '', modifiedAt: galleryTime, lines: [line] },
    { id: 'rtl', title: '', modifiedAt: galleryTime, lines: ['هذا المشروع cart'] },
  ];
  return (
    <dialog open class="palette" aria-label="Found">
      <div class="results">
        <SearchHits search={{ kind: 'searching' }} text="cart" listed={[]} />
        <SearchHits search={{ kind: 'found', hits, missing: 40, sessions: 120 }} text="cart" listed={[]} />
        <SearchHits search={{ kind: 'found', hits: [], missing: 0, sessions: 120 }} text="x" listed={[]} />
      </div>
    </dialog>
  );
}
