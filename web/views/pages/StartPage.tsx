// The first page: one composer that starts a session, the folder it works in, recent folders and sessions.
import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { errorText } from '../../../src/base/errorText.ts';
import { present } from '../../../src/base/present.ts';
import type { AgentInfo } from '../../../src/protocols/ahp/v1_0/state.ts';
import { useClient } from '../../state/app.ts';
import { usePageTitle } from '../../state/pageTitle.ts';
import { useHasRole } from '../../state/role.ts';
import { addressOf, goTo } from '../../state/route.ts';
import { toUri } from '../../text/format.ts';
import { AttachmentList, FilePicker } from '../compose/Attachments.tsx';
import { draftAttachments } from '../compose/attachFiles.ts';
import { chooseNext, ComposerFrame } from '../compose/Composer.tsx';
import { draftOf, emptyDraft, isReady } from '../compose/drafts.ts';
import type { MessageDraft } from '../compose/drafts.ts';
import { useOfferedConfig } from '../compose/offeredConfig.ts';
import { MessageField } from '../compose/MessageField.tsx';
import { PickerBar } from '../compose/PickerBar.tsx';
import { agentPicker, configPickers, isPicked, modelPicker } from '../compose/pickers.ts';
import type { Picker } from '../compose/pickers.ts';
import { ConfigForm } from '../parts/ConfigForm.tsx';
import { Icon } from '../parts/Icon.tsx';
import { noCompletions } from '../compose/useCompletions.ts';
import { FolderPicker } from './FolderPicker.tsx';
import { folderListing, useDefaultFolder } from './folders.ts';
import { RecentFolders, RecentSessions } from './RecentWork.tsx';
import { startSession } from './startSession.ts';

export function StartPage() {
  const client = useClient();
  const mayControl = useHasRole('control');
  const agents = client.root.state.value?.agents;
  usePageTitle('New session');
  return (
    <div class="scroll">
      <div class="column start">
        <h1 tabIndex={-1}>{mayControl ? 'What should the agent do?' : 'Sessions'}</h1>
        {mayControl && agents && <Start agents={agents} />}
        <RecentSessions />
        {mayControl && agents && <DemoHint agents={agents} />}
      </div>
    </div>
  );
}

function DemoHint({ agents }: { readonly agents: readonly AgentInfo[] }) {
  const onlyDemo = agents.length === 1 && agents[0]?.models.every(({ id }) => id === 'demo/demo');
  if (!onlyDemo) return null;
  return (
    <p class="tagline">
      <span>
        You are using the built-in demo model. For real work{' '}
        <a href={addressOf({ page: 'settings', section: 'models' })}>sign in to a model provider</a> or{' '}
        <a href={addressOf({ page: 'settings', section: 'agents' })}>add an agent</a>.
      </span>
    </p>
  );
}

function Start({ agents }: { readonly agents: readonly AgentInfo[] }) {
  const form = useSessionForm(agents);
  const { agent, folder, setFolder, draft, properties, config, setConfig } = form;
  const { starting, problem, start } = useStart();
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const { attach, detach } = draftAttachments(draft);
  useEffect(() => {
    // On a phone the focus would open the keyboard over the page.
    if (matchMedia('(pointer: fine)').matches) field.current?.focus();
  }, []);
  if (!agent) return <p class="muted">The host has no agent yet.</p>;
  const pickers = pickersOf(form, agents);
  const submit = (): void => {
    if (!starting && isReady(draft.peek()))
      void start({ provider: agent.provider, folder, config, draft: draft.peek() });
  };
  const rest = Object.fromEntries(Object.entries(properties).filter(([, property]) => !isPicked(property)));
  return (
    <>
      <ComposerFrame onSubmit={submit} onFiles={(files) => void attach(files)}>
        <AttachmentList attachments={draft.value.attachments} onRemove={detach} />
        <MessageField
          field={field}
          listId={id}
          draft={draft}
          completions={noCompletions}
          placeholder="Describe a task, or ask about the code."
          onSend={submit}
          onNextMode={() => chooseNext(pickers.find(({ keys }) => keys !== undefined))}
          onFiles={(files) => void attach(files)}
        />
        <div class="composer-bar">
          <FilePicker onFiles={(files) => void attach(files)} />
          <PickerBar pickers={pickers} />
          <span class="spacer" />
          <button
            type="submit"
            class="send"
            aria-label="Start session"
            title="Start session (Enter)"
            disabled={starting || !isReady(draft.value)}
          >
            <Icon name="send" />
          </button>
        </div>
      </ComposerFrame>
      <FolderPicker folder={folder} onChange={setFolder} problem={problem} />
      <ConfigForm properties={rest} values={config} onChange={setConfig} />
      <RecentFolders folder={folder} onChoose={setFolder} />
    </>
  );
}

type SessionForm = ReturnType<typeof useSessionForm>;

function pickersOf(form: SessionForm, agents: readonly AgentInfo[]): readonly Picker[] {
  const { agent, choose, draft, properties, config, setConfig, usual } = form;
  return [
    agentPicker(agents, agent?.provider, choose),
    modelPicker(
      agent?.models ?? [],
      draft.value.model ?? usual.model,
      (model) => (draft.value = { ...draft.value, model }),
    ),
    ...configPickers(properties, { ...present({ permissions: usual.permissions }), ...config }, setConfig),
  ];
}

type Config = Readonly<Record<string, unknown>>;

function useSessionForm(agents: readonly AgentInfo[]) {
  const [provider, setProvider] = useState<string>();
  const [chosenFolder, setFolder] = useState<string>();
  const [config, replaceConfig] = useState<Config>({});
  const draft = useSignal<MessageDraft>(emptyDraft);
  const agent = agents.find((each) => each.provider === provider) ?? agents[0];
  const defaultFolder = useDefaultFolder();
  const folder = chosenFolder ?? defaultFolder;
  const directory = folder.startsWith('/') ? toUri(folder) : undefined;
  const offered = useOfferedConfig({ provider: agent?.provider, directory, config });
  /** Another agent has other models and other settings. */
  const choose = (next: string): void => {
    const { model: _, ...kept } = draft.peek();
    draft.value = kept;
    setProvider(next);
    replaceConfig({});
  };
  const setConfig = (change: Config): void => replaceConfig((now) => ({ ...now, ...change }));
  return { agent, choose, draft, folder, setFolder, config, setConfig, ...offered };
}

interface StartRequest {
  readonly provider: string;
  readonly folder: string;
  readonly config: Config;
  readonly draft: MessageDraft;
}

function useStart() {
  const client = useClient();
  const [problem, setProblem] = useState('');
  const [starting, setStarting] = useState(false);
  const start = async ({ provider, folder, config, draft }: StartRequest): Promise<void> => {
    setStarting(true);
    setProblem('');
    try {
      const place = folder.trim();
      // The host expands ~ and refuses a folder that does not exist, before a session is made for it.
      const directory = place === '' ? undefined : toUri((await folderListing(client, place)).folder);
      const { session, chat } = await startSession(client, {
        provider,
        config,
        draft,
        ...present({ directory }),
      });
      const { model } = draft;
      if (model !== undefined && chat !== undefined) draftOf(chat).value = { ...emptyDraft, model };
      goTo({ page: 'session', session });
    } catch (error) {
      setProblem(errorText(error));
      setStarting(false);
    }
  };
  return { starting, problem, start };
}
