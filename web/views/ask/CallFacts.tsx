// One line below a call that waits: where and how it would run.
import { findSummary } from '../../../client/connection/catalogue.ts';
import type { PendingToolCall } from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { useClient } from '../../state/app.ts';
import { useChat } from '../../state/chat.ts';
import { Icon } from '../parts/Icon.tsx';
import { callFacts } from './callFacts.ts';

export function CallFacts({ call }: { readonly call: PendingToolCall }) {
  const client = useClient();
  const folders = findSummary(client.sessions.value, useChat().session)?.workingDirectories ?? [];
  const facts = callFacts(call, { folders, home: client.access.value?.home });
  if (facts.length === 0) return null;
  return (
    <ul class="facts" aria-label="How it would run">
      {facts.map(({ icon, text }) => (
        <li key={text}>
          <Icon name={icon} />
          {text}
        </li>
      ))}
    </ul>
  );
}
