// The composer in its states, its pickers and menus, the queue, and what waits.
import { signal } from '@preact/signals';
import type { ChatState, SessionState } from '../../../src/protocols/ahp/v1_0/state.ts';
import { AttachmentList } from '../../views/compose/Attachments.tsx';
import { CompletionList } from '../../views/compose/CompletionList.tsx';
import { Composer } from '../../views/compose/Composer.tsx';
import { ContextMeter } from '../../views/compose/ContextMeter.tsx';
import { draftOf, editOf } from '../../views/compose/drafts.ts';
import { PickerBar } from '../../views/compose/PickerBar.tsx';
import { agentPicker, configPickers, modelPicker } from '../../views/compose/pickers.ts';
import { Queue } from '../../views/compose/Queue.tsx';
import { Waits } from '../../views/compose/Waits.tsx';
import { ConfigForm } from '../../views/parts/ConfigForm.tsx';
import { OpenUsageContext } from '../../views/running/openBeside.ts';
import { Area, Host, Opened, Part, Pressed } from '../Part.tsx';
import { choices, root } from '../samples/agents.ts';
import { activeTurn, chatWith, completions, turns } from '../samples/turns.ts';
import { shop } from '../samples/sessions.ts';
import { world } from '../samples/world.ts';
import type { Tables } from '../tableClient.ts';
import { chatChannel, client, nothing, target } from '../surroundings.ts';

export function Compose() {
  return (
    <Area title="Composer">
      <Part title="Composer">
        <Composers />
      </Part>
      <Part title="Waits">
        <Waits chat={chatWith({ activeTurn: { ...activeTurn, id: 'unseen' } })} />
      </Part>
      <Part title="Queue">
        <Queues />
      </Part>
      <Part title="Completions">
        <div class="still-list">
          <CompletionList id="slash" offer={{ start: 0, items: completions, chosen: 0 }} onChoose={nothing} />
        </div>
      </Part>
      <Part title="Attachments">
        <AttachmentList
          attachments={[
            { type: 'resource', label: 'cart.js', uri: 'file:///shop/cart.js' },
            { type: 'resource', label: 'فاتورة.pdf', uri: 'file:///shop/bill.pdf' },
          ]}
          onRemove={nothing}
        />
      </Part>
      <Part title="Pickers">
        <Pickers />
      </Part>
      <Part title="Context">
        <Opened>
          <OpenUsageContext.Provider value={nothing}>
            <ContextMeter chat={chatWith({ turns: finished })} />
          </OpenUsageContext.Provider>
        </Opened>
      </Part>
      <Part title="Other choices">
        <ConfigForm
          properties={{
            mode: { type: 'string', title: 'Mode', enum: ['code', 'plan'], enumLabels: ['Code', 'Plan'] },
            budget: { type: 'number', title: 'Budget', description: 'In USD, for one session' },
            sounds: { type: 'boolean', title: 'Sounds' },
            fixed: { type: 'boolean', title: 'Fixed by the host', readOnly: true },
          }}
          values={{ mode: 'plan', budget: 5, sounds: true }}
          onChange={nothing}
        />
      </Part>
    </Area>
  );
}

const finished = turns.flatMap(({ turn }) => ('state' in turn ? [turn] : []));

interface ComposerState {
  readonly name: string;
  readonly chat: Partial<ChatState>;
  readonly draft?: string;
  readonly tables?: Partial<Tables>;
  readonly isFocused?: boolean;
  /** It holds an earlier message. */
  readonly isEdit?: boolean;
}

const composerStates: readonly ComposerState[] = [
  { name: 'empty', chat: { turns: finished } },
  { name: 'ready', chat: { turns: finished }, draft: 'Fix the total in @cart.js', isFocused: true },
  { name: 'rtl', chat: {}, draft: 'أصلح المجموع في cart.js' },
  { name: 'running', chat: { activeTurn }, draft: 'Use the new price' },
  { name: 'edit', chat: { turns: finished }, draft: 'Fix the total, and test it', isEdit: true },
  { name: 'readonly', chat: { interactivity: 'read-only' } },
  { name: 'observe', chat: {}, tables: { access: { role: 'observe' } } },
  { name: 'approve', chat: {}, tables: { access: { role: 'approve' } } },
];

function Composers() {
  return (
    <>
      {composerStates.map((state) => (
        <Host key={state.name} tables={{ ...world, ...state.tables }}>
          <div class={state.isFocused === true ? 'shows-focus' : ''}>
            <ComposerIn {...state} />
          </div>
        </Host>
      ))}
    </>
  );
}

function ComposerIn({ name, chat, draft = '', isEdit = false }: ComposerState) {
  const session = client.open('session', shop);
  const state: SessionState | undefined = session.state.value;
  if (!state) return null;
  const uri = `ahp-chat:/${name}`;
  const shown = chatWith({ resource: uri, ...chat });
  const attachments =
    draft === '' ? [] : [{ type: 'resource' as const, label: 'cart.js', uri: 'file:///shop/cart.js' }];
  const written = { text: draft, attachments };
  if (isEdit) editOf(uri).value ??= { turnId: 'edited', draft: signal(written) };
  else draftOf(uri).value = written;
  const channel = chatChannel(shown);
  return <Composer session={session} state={state} channel={channel} agent={root.agents[0]} />;
}

function Queues() {
  return (
    <>
      <Queue
        target={target}
        state={chatWith({
          activeTurn,
          steeringMessage: message('s', 'Use the new price'),
          queuedMessages: [
            message('a', 'Then update the changelog'),
            message('b', 'ثم احفظ التغييرات'),
            message('c', 'And look whether the sum of a cart with many items and a discount is still right'),
          ],
        })}
      />
      <Pressed names={['Edit pending message']}>
        <Queue target={target} state={chatWith({ queuedMessages: [message('d', 'Then update it')] })} />
      </Pressed>
    </>
  );
}

function message(id: string, text: string) {
  return { id, message: { text, origin: { kind: 'user' as const } } };
}

function Pickers() {
  const [agent] = root.agents;
  const pickers = [
    agentPicker(root.agents, agent?.provider, nothing),
    modelPicker(agent?.models ?? [], 'anthropic/sonnet', nothing),
    ...configPickers(choices, { permissions: 'full' }, nothing),
  ];
  return (
    <>
      <div class="row">
        <PickerBar pickers={pickers.map(({ choose: _, ...fixed }) => fixed)} />
      </div>
      <Opened>
        <PickerBar pickers={pickers} />
      </Opened>
    </>
  );
}
