// Colours, type, buttons, fields, status, badges and rows: what the components are made of.
import { ErrorBoundary } from '../../views/parts/ErrorBoundary.tsx';
import { CopyButton } from '../../views/parts/CopyButton.tsx';
import { Icon } from '../../views/parts/Icon.tsx';
import { lazy } from '../../views/parts/lazy.tsx';
import { LineCounts } from '../../views/parts/LineCounts.tsx';
import { Loading } from '../../views/parts/Loading.tsx';
import { MenuItem } from '../../views/parts/Menu.tsx';
import { PlanView } from '../../views/parts/PlanView.tsx';
import { FullMark, StatusMark } from '../../views/parts/StatusMark.tsx';
import { Area, Part } from '../Part.tsx';
import { plan } from '../samples/turns.ts';
import { sessions } from '../samples/sessions.ts';
import { nothing } from '../surroundings.ts';

const colours = [
  ...['bg-side', 'bg', 'surface', 'surface-raised', 'sunken', 'selected', 'line', 'line-strong'],
  ...['line-input', 'text', 'text-2', 'text-3', 'accent', 'accent-soft', 'wait', 'wait-soft'],
  ...['wait-solid', 'ok', 'ok-soft', 'bad', 'bad-soft', 'add', 'add-word', 'del'],
] as const;

const buttonStates = [
  { kind: '', label: 'Default' },
  { kind: 'primary', label: 'Primary' },
  { kind: 'ghost', label: 'Ghost' },
  { kind: 'danger', label: 'Danger' },
] as const;

export function Basics() {
  return (
    <Area title="Basics">
      <Colours />
      <Type />
      <Buttons />
      <Fields />
      <Menus />
      <Statuses />
      <Part title="Plan">
        <PlanView entries={plan} />
      </Part>
    </Area>
  );
}

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
      <p class="row">
        <CopyButton text="npm test" what="the command" />
      </p>
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
  return (
    <Part title="Menu items">
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
        {[24, 8, 2, 1, 33].map((status) => (
          <StatusMark key={status} status={status} />
        ))}
        {sessions.map((summary) => (
          <FullMark key={summary.resource} summary={summary} />
        ))}
        <LineCounts added={84} removed={31} />
        <LineCounts added={5} removed={0} />
      </p>
      <p class="row">
        {['', 'ok', 'bad', 'wait', 'wait-soft', 'accent'].map((kind) => (
          <span key={kind} class={`badge ${kind}`}>
            {kind || 'plain'}
          </span>
        ))}
      </p>
      <Loading what="the gallery" />
      <p class="empty">No sessions yet</p>
      <ErrorBoundary what="This part">
        <Broken />
      </ErrorBoundary>
      <Missing />
    </Part>
  );
}

const Missing = lazy(() => Promise.reject(new Error('The file is not there any more.')));

function Broken(): never {
  throw new Error('the state has no title');
}
