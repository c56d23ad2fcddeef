// The chat of a sub-agent, nested in the tool call that started it.
import { useMemo, useState } from 'preact/hooks';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import { useChannel, useClient } from '../../state/app.ts';
import { ChatContext, chatPort, useChat } from '../../state/chat.ts';
import { StatusMark } from '../parts/StatusMark.tsx';
import { Conversation } from '../transcript/Conversation.tsx';
import { RetryContext } from '../transcript/retry.ts';

interface SubAgentProps {
  readonly chat: URI;
  readonly title: string;
  readonly description?: string | undefined;
}

export function SubAgent({ chat, title, description }: SubAgentProps) {
  const [open, setOpen] = useState(false);
  return (
    <details class="subagent" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <strong>{title}</strong> {description !== undefined && <span class="hint">{description}</span>}
      </summary>
      {open && <Nested chat={chat} />}
    </details>
  );
}

const initialTurns = 20;

function Nested({ chat }: { readonly chat: URI }) {
  const client = useClient();
  const { session } = useChat();
  const channel = useChannel('chat', chat, initialTurns);
  const port = useMemo(() => chatPort(client, session, channel), [channel]);
  const status = channel.state.value?.status;
  return (
    <ChatContext.Provider value={port}>
      <RetryContext.Provider value={undefined}>
        {status !== undefined && <StatusMark status={status} labelled />}
        <div class="nested" role="group" aria-label="Sub-agent">
          <Conversation channel={channel} />
        </div>
      </RetryContext.Provider>
    </ChatContext.Provider>
  );
}
