// Every answer that holds for more than one call: its rule in words, where it holds, who gave it, when and
// from where. Each can be revoked; answers of earlier versions have to be confirmed.
import type { RememberedAnswer } from '../../../client/connection/extensions.ts';
import { now } from '../../state/clock.ts';
import { useClient } from '../../state/app.ts';
import { useHostAction, usePolledHostData } from '../../state/hostData.ts';
import { byWhom, formatSince } from '../../text/format.ts';
import { Icon } from '../parts/Icon.tsx';
import { Loading } from '../parts/Loading.tsx';
import { Rules } from './Rules.tsx';

const refreshMs = 3_000;

export function Permissions() {
  const { value: answers, problem, reload } = usePolledHostData('permissions/list', {}, refreshMs);
  if (problem !== undefined) return <p class="field-error">{problem}</p>;
  return (
    <>
      <p class="lead">Everything you allowed for longer than one call. Revoking takes effect immediately.</p>
      {answers === undefined && <Loading what="the list" />}
      {answers?.length === 0 && <p class="empty">Nothing is remembered</p>}
      {answers !== undefined && answers.length > 0 && (
        <ul class="list permissions">
          {answers.map((answer) => (
            <Row key={`${answer.id} ${answer.session?.id}`} answer={answer} onChanged={() => void reload()} />
          ))}
        </ul>
      )}
      <Rules />
    </>
  );
}

function Row({ answer, onChanged }: { readonly answer: RememberedAnswer; readonly onChanged: () => void }) {
  const client = useClient();
  const { busy, run } = useHostAction();
  const { id, effect, rule, confirmed } = answer;
  const act = async (method: 'permissions/revoke' | 'permissions/confirm') => {
    await run(() => client.requestExtension(method, { id }));
    onChanged();
  };
  return (
    <li class="item-row wraps" aria-label={rule}>
      <span class="avatar" aria-hidden="true">
        <Icon name={scopeIcons[answer.scope]} />
      </span>
      <div class="main-text">
        <p class="rule-words" dir="auto">
          {effectWords[effect]} {rule}
        </p>
        <p>
          <span dir="auto">{placeOf(answer)}</span> · <span dir="auto">{originOf(answer)}</span>
        </p>
        {!confirmed && (
          <p class="unconfirmed">
            An earlier version stored this for every folder. It does not count until you confirm it.
          </p>
        )}
      </div>
      <div class="end">
        {!confirmed && (
          <button
            type="button"
            class="btn small"
            disabled={busy}
            aria-label={`Confirm ${rule}`}
            onClick={() => void act('permissions/confirm')}
          >
            Confirm
          </button>
        )}
        <button
          type="button"
          class="btn small danger"
          disabled={busy}
          aria-label={`Revoke ${rule}`}
          onClick={() => void act('permissions/revoke')}
        >
          Revoke
        </button>
      </div>
    </li>
  );
}

const scopeIcons = { session: 'comment', folder: 'folder', everywhere: 'globe' } as const;

const effectWords = { allow: 'Allows', ask: 'Asks about', deny: 'Denies' } as const;

function placeOf({ scope, folders = [], session }: RememberedAnswer): string {
  if (scope === 'folder') return `In ${folders.join(' and ')}`;
  if (scope === 'everywhere') return 'In every folder';
  return `In the session “${session?.title || 'Untitled'}”`;
}

function originOf({ by, at }: RememberedAnswer): string {
  if (by?.kind !== 'client') return 'by an earlier version';
  const who = byWhom(by);
  if (at === undefined) return who;
  return `${formatSince(at, now.value)}, ${who}`;
}
