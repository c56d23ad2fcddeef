// What lies beside a conversation: the changes it made, what runs, or who is there.
import { useEffect, useRef } from 'preact/hooks';
import type { ChatState, SessionState } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../client/channel.ts';
import { Icon } from '../parts/Icon.tsx';
import { Changes } from './Changes.tsx';
import { People } from './People.tsx';
import { Terminals } from './Terminals.tsx';

export type PanelName = 'changes' | 'terminals' | 'people';

interface SidePanelProps {
  readonly name: PanelName;
  readonly channel: Channel<SessionState>;
  readonly state: SessionState;
  readonly chat: Channel<ChatState>;
  readonly onClose: () => void;
}

const titles = { changes: 'Changes', terminals: 'Running', people: 'Who is here' } as const;

export function SidePanel({ name, channel, state, chat, onClose }: SidePanelProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [name]);
  return (
    <aside class="side-panel" aria-label={titles[name]}>
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {titles[name]}
        </h2>
        <button type="button" class="quiet" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {name === 'changes' && <Changes state={state} chat={chat} />}
      {name === 'terminals' && (
        <Terminals session={channel.uri} chat={chat} folder={state.workingDirectories?.[0]} />
      )}
      {name === 'people' && <People session={channel} state={state} />}
    </aside>
  );
}
