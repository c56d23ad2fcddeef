// The approvals and questions that were answered lately, read from the last turns of the newest sessions.
import { useEffect, useState } from 'preact/hooks';
import { useClient } from '../../state/app.ts';
import { now } from '../../state/clock.ts';
import { addressOf } from '../../state/route.ts';
import { formatAge, nameOf } from '../../text/format.ts';
import { Icon } from '../parts/Icon.tsx';
import { Loading } from '../parts/Loading.tsx';
import { followAnswers } from './followAnswers.ts';
import type { AnsweredInSession } from './followAnswers.ts';

export function AnsweredList() {
  const answers = useAnswered();
  if (!answers) return <Loading what="answers" />;
  return (
    <>
      {answers.length === 0 ? (
        <div class="frame empty">
          <Icon name="inbox" />
          <b>Nothing was answered lately.</b>
          <p>Approvals and questions appear here once somebody has answered them.</p>
        </div>
      ) : (
        <ul class="list" aria-label="Answered">
          {answers.map((answer) => (
            <li key={`${answer.chat} ${answer.id}`}>
              <AnsweredRow answer={answer} />
            </li>
          ))}
        </ul>
      )}
      <p class="note">From the last turns of the newest sessions.</p>
    </>
  );
}

function AnsweredRow({ answer }: { readonly answer: AnsweredInSession }) {
  const { session, chat, outcome, what, isCommand, says, at } = answer;
  const folder = nameOf(useClient().sessions.value.get(session)?.workingDirectories?.[0] ?? '');
  const agreed = outcome === 'Allowed' || outcome === 'Answered';
  return (
    <a class="list-row" href={addressOf({ page: 'session', session, chat })}>
      <span class={`status ${agreed ? 'done' : 'denied'}`} role="img" aria-label={outcome}>
        <Icon name={agreed ? 'check' : 'x'} />
      </span>
      <span class="truncate" dir="auto" title={what}>
        {isCommand ? <code>{what}</code> : what}
      </span>
      <span class="sub wide told" dir="auto" title={says}>
        {says}
      </span>
      <span class="sub">
        {folder !== '' && <span class="truncate">{folder}</span>}
        {folder !== '' && '·'}
        <span class="age">{formatAge(at, now.value)}</span>
      </span>
    </a>
  );
}

/** Undefined until the sessions are read. They are followed as long as the list is shown. */
function useAnswered(): readonly AnsweredInSession[] | undefined {
  const client = useClient();
  const isReady = client.listed.value && client.connection.value.kind === 'online';
  const [answers, setAnswers] = useState<readonly AnsweredInSession[]>();
  useEffect(() => (isReady ? followAnswers(client, setAnswers) : undefined), [client, isReady]);
  return answers;
}
