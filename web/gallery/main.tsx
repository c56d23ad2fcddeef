// The gallery: every component of the console in every state, on one page. It is built for people and for the
// visual test, and is no part of the package.
import { render } from 'preact';
import { ClientContext } from '../state/app.ts';
import { ChatContext } from '../state/chat.ts';
import { ContextParts } from '../views/usage/ContextParts.tsx';
import { Icon } from '../views/parts/Icon.tsx';
import { Loading } from '../views/parts/Loading.tsx';
import { MenuItem } from '../views/parts/Menu.tsx';
import { PlanView } from '../views/parts/PlanView.tsx';
import { EndButton, RunningRow } from '../views/running/RunningRow.tsx';
import { ItemRow } from '../views/settings/ItemRow.tsx';
import { TurnView } from '../views/transcript/TurnView.tsx';
import { pauseToasts, toast } from '../state/toasts.ts';
import { Changes, Composers, Messages, Part, Sessions } from './components.tsx';
import { addForcedStates } from './forcedStates.ts';
import { buttonStates, colours, plan, turns, usage } from './samples.ts';
import { chat, client } from './surroundings.ts';
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

toast('info', 'Session archived', { label: 'Undo', run: () => undefined });
toast('problem', 'The host refused this: the session is gone.');
pauseToasts(true);

const page = document.querySelector('#app');
if (page)
  render(
    <ClientContext.Provider value={client}>
      <ChatContext.Provider value={chat}>
        <main class="gallery">
          <h1>Parley console: components</h1>
          <Colours />
          <Type />
          <Buttons />
          <Fields />
          <Menus />
          <Statuses />
          <Lists />
          <Sessions />
          <Composers />
          <Changes />
          <Messages />
          <Part title="Plan">
            <PlanView entries={plan} />
          </Part>
          <Part title="Context">
            <ContextParts usage={usage} onCompact={() => undefined} />
          </Part>
          {turns.map(({ title, turn }) => (
            <Part key={title} title={title}>
              <div class="transcript">
                <TurnView turn={turn} last />
              </div>
            </Part>
          ))}
        </main>
      </ChatContext.Provider>
    </ClientContext.Provider>,
    page,
  );
addForcedStates();

function Colours() {
  return (
    <Part title="Colour">
      <div class="swatches">
        {colours.map((name) => (
          <span key={name}>
            <svg viewBox="0 0 10 4" preserveAspectRatio="none" aria-hidden="true">
              <rect width="10" height="4" fill={`var(--${name})`} />
            </svg>
            <code>{name}</code>
          </span>
        ))}
      </div>
    </Part>
  );
}

function Type() {
  return (
    <Part title="Type">
      <p class="type-2xl">What should the agent do?</p>
      <p class="type-xl">Page heading</p>
      <p class="type-lg">Section heading</p>
      <p class="prose">Prose in the transcript with no box around it.</p>
      <p>Interface text</p>
      <p class="note">Meta: 4.1 s · $0.03</p>
      <p dir="auto">اشرح لي هذا المشروع — right to left, with a joiner: می‌خواهم</p>
    </Part>
  );
}

function Buttons() {
  return (
    <Part title="Buttons">
      {buttonStates.map(({ kind, label }) => (
        <p key={kind} class="row">
          <button type="button" class={`btn ${kind}`}>
            {label}
          </button>
          {['hover', 'pressed', 'focus'].map((state) => (
            <button key={state} type="button" class={`btn ${kind} shows-${state}`}>
              {state}
            </button>
          ))}
          <button type="button" class={`btn ${kind}`} disabled>
            Disabled
          </button>
          <button type="button" class={`btn small ${kind}`}>
            Small
          </button>
          <button type="button" class={`btn icon-only ${kind}`} aria-label={`${label}, icon`}>
            <Icon name="copy" />
          </button>
        </p>
      ))}
    </Part>
  );
}

function Fields() {
  return (
    <Part title="Fields">
      <div class="grid2">
        <label class="field">
          <span class="label">Folder</span>
          <input class="input" placeholder="~/code/shop" />
          <span class="help">Type a path or pick a recent folder</span>
        </label>
        <label class="field">
          <span class="label">Folder, invalid</span>
          <input class="input" aria-invalid="true" defaultValue="/no/such/folder" />
          <span class="field-error">This folder does not exist.</span>
        </label>
        <label class="field">
          <span class="label">Folder, disabled</span>
          <input class="input" disabled defaultValue="~/code/shop" />
        </label>
        <label class="field">
          <span class="label">Folder, focused</span>
          <input class="input shows-focus" defaultValue="~/code/sh" />
        </label>
        <label class="field">
          <span class="label">Message of the commit</span>
          <textarea class="input" defaultValue="Multiply by the quantity" />
        </label>
        <label class="field">
          <span class="label">Role</span>
          <select class="input">
            <option>Approve</option>
          </select>
        </label>
      </div>
      <label class="check">
        <input class="switch" role="switch" type="checkbox" checked />
        <span>Notifications</span>
      </label>
      <label class="check">
        <input class="switch" role="switch" type="checkbox" />
        <span>Sounds</span>
      </label>
      <label class="check">
        <input type="checkbox" checked />
        <span>Reviewed</span>
      </label>
      <label class="check">
        <input type="checkbox" disabled />
        <span>New worktree</span>
      </label>
    </Part>
  );
}

function Menus() {
  const nothing = () => undefined;
  return (
    <Part title="Menus">
      <div class="menu still" role="menu" aria-label="Session">
        <MenuItem icon="edit" label="Rename" end="F2" onChoose={nothing} />
        <MenuItem icon="plan" label="Plan" note="Reads and proposes" checked={false} onChoose={nothing} />
        <MenuItem icon="hand" label="Ask" note="Asks before changes" checked onChoose={nothing} />
        <MenuItem icon="folder" label="Not now" disabled onChoose={nothing} />
        <MenuItem icon="trash" label="Delete…" danger onChoose={nothing} />
      </div>
    </Part>
  );
}

function Statuses() {
  return (
    <Part title="Status and badges">
      <p class="row">
        {['wait', 'running', 'failed', 'unread', 'idle'].map((kind) => (
          <span key={kind} class="row">
            <span class={`status ${kind}`} role="img" aria-label={kind} /> {kind}
          </span>
        ))}
      </p>
      <p class="row">
        {['', 'ok', 'bad', 'wait-soft'].map((kind) => (
          <span key={kind} class={`badge ${kind}`}>
            {kind || 'plain'}
          </span>
        ))}
      </p>
      <Loading what="the gallery" />
      <p class="empty">No sessions yet</p>
    </Part>
  );
}

function Lists() {
  return (
    <Part title="Lists">
      <ul class="list">
        <ItemRow
          name="Anthropic"
          badge={<span class="badge ok">Signed in</span>}
          details={<p>Sonnet and 5 more</p>}
          buttons={
            <button type="button" class="btn small">
              Test
            </button>
          }
        />
        <ItemRow
          name="lab"
          badge={<span class="badge bad">Key rejected</span>}
          details={<p>big-1, small-1</p>}
        />
      </ul>
      <ul class="running-list">
        <RunningRow
          mark={<span class="status running" role="img" aria-label="Running" />}
          title="dev server"
          outcome="3 min"
          startsOpen
          buttons={<EndButton label="Kill" name="dev server" onClick={() => undefined} />}
        >
          <pre class="term">listening on port 8080</pre>
        </RunningRow>
        <RunningRow
          mark={<Icon name="terminal" kind="kind" />}
          title="checks"
          outcome={<span class="bad">Exit 1</span>}
        >
          <pre class="term">failed</pre>
        </RunningRow>
      </ul>
    </Part>
  );
}
