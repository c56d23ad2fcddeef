// Starts a session: agent, model, folder, settings and an optional first message.
import { useEffect, useState } from 'preact/hooks';
import { errorText } from '../../../src/base/errorText.ts';
import { present } from '../../../src/base/present.ts';
import type { SessionConfigPropertySchema } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { AgentInfo } from '../../../src/protocols/ahp/v1_0/state.ts';
import { useClient } from '../../state/app.ts';
import { useHostData } from '../../state/hostData.ts';
import { goTo } from '../../state/route.ts';
import { pathOf, toUri } from '../../text/format.ts';
import { draftOf } from '../compose/drafts.ts';
import { ModelPicker } from '../compose/ModelPicker.tsx';
import { ConfigForm } from '../parts/ConfigForm.tsx';
import { FolderField } from './FolderField.tsx';
import { startSession } from './startSession.ts';

export function NewSessionPage() {
  const agents = useClient().root.state.value?.agents ?? [];
  return (
    <section class="page new-session">
      <h1 tabIndex={-1}>New session</h1>
      {agents.length === 0 ? <p>The host has no agent yet.</p> : <NewSessionForm agents={agents} />}
    </section>
  );
}

function NewSessionForm({ agents }: { readonly agents: readonly AgentInfo[] }) {
  const { agent, choose, form, setForm, folder, properties } = useSessionForm(agents);
  const { starting, problem, start } = useStart();
  const submit = (event: Event): void => {
    event.preventDefault();
    if (agent) void start({ ...form, provider: agent.provider, folder });
  };
  return (
    <form onSubmit={submit}>
      <AgentPicker agents={agents} agent={agent} onChoose={choose} />
      {agent && agent.models.length > 0 && (
        <div class="setting">
          <span aria-hidden="true">Model</span>
          <ModelPicker models={agent.models} model={form.model} onChoose={(model) => setForm({ model })} />
        </div>
      )}
      <FolderField folder={folder} onChange={(next) => setForm({ folder: next })} />
      <ConfigForm
        properties={properties}
        values={form.config}
        onChange={(change) => setForm({ config: { ...form.config, ...change } })}
      />
      <label>
        <span>First message</span>
        <textarea
          rows={4}
          value={form.text}
          placeholder={'What should the agent do? e.g. "Explain this project". Optional.'}
          onInput={(event) => setForm({ text: event.currentTarget.value })}
        />
      </label>
      {problem !== '' && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <button type="submit" class="primary" disabled={starting}>
        Start session
      </button>
    </form>
  );
}

interface AgentPickerProps {
  readonly agents: readonly AgentInfo[];
  readonly agent: AgentInfo | undefined;
  readonly onChoose: (provider: string) => void;
}

function AgentPicker({ agents, agent, onChoose }: AgentPickerProps) {
  return (
    <>
      <label>
        <span>Agent</span>
        <select value={agent?.provider} onChange={(event) => onChoose(event.currentTarget.value)}>
          {agents.map(({ provider, displayName }) => (
            <option key={provider} value={provider}>
              {displayName}
            </option>
          ))}
        </select>
      </label>
      <p class="hint">{agent?.description}</p>
    </>
  );
}

interface SessionForm {
  readonly provider?: string;
  readonly model?: string;
  /** Absent means the default folder. */
  readonly folder?: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly text: string;
}

function useSessionForm(agents: readonly AgentInfo[]) {
  const [form, replaceForm] = useState<SessionForm>({ config: {}, text: '' });
  const setForm = (change: Partial<SessionForm>): void => replaceForm((now) => ({ ...now, ...change }));
  const agent = agents.find(({ provider }) => provider === form.provider) ?? agents[0];
  const defaultFolder = useDefaultFolder();
  const folder = form.folder ?? defaultFolder;
  const properties = useConfigProperties(agent, folder, form.config);
  /** Another agent has other models and other settings. */
  const choose = (provider: string): void =>
    replaceForm(({ model: _, ...now }) => ({ ...now, provider, config: {} }));
  return { agent, choose, form, setForm, folder, properties };
}

interface StartRequest extends SessionForm {
  readonly provider: string;
  readonly folder: string;
}

function useStart() {
  const client = useClient();
  const [problem, setProblem] = useState('');
  const [starting, setStarting] = useState(false);
  const start = async ({ provider, model, folder, config, text }: StartRequest): Promise<void> => {
    setStarting(true);
    setProblem('');
    try {
      const directory = folder.trim() === '' ? undefined : toUri(folder);
      const { session, chat } = await startSession(client, {
        provider,
        config,
        text: text.trim(),
        ...present({ model, directory }),
      });
      if (model !== undefined && chat !== undefined)
        draftOf(chat).value = { text: '', attachments: [], model };
      goTo({ page: 'session', session });
    } catch (error) {
      setProblem(errorText(error));
      setStarting(false);
    }
  };
  return { starting, problem, start };
}

/**
 * The host's default folder, else the folder of the newest session, else the folder where
 * the host was started.
 */
function useDefaultFolder(): string {
  const client = useClient();
  const { value: startFolder } = useHostData('console/folder', {});
  const [newest] = [...client.sessions.value.values()].toSorted((a, b) =>
    a.modifiedAt < b.modifiedAt ? 1 : -1,
  );
  return pathOf(client.host.value?.defaultDirectory ?? newest?.workingDirectories?.[0] ?? startFolder ?? '');
}

type Properties = Readonly<Record<string, SessionConfigPropertySchema>>;

/** The settings that the agent offers for a session in that folder. */
function useConfigProperties(
  agent: AgentInfo | undefined,
  folder: string,
  config: Readonly<Record<string, unknown>>,
): Properties {
  const client = useClient();
  const [properties, setProperties] = useState<Properties>({});
  useEffect(() => {
    let current = true;
    const workingDirectory = folder === '' ? undefined : toUri(folder);
    client
      .request('resolveSessionConfig', {
        ...present({ provider: agent?.provider, workingDirectory }),
        config,
      })
      .then(
        ({ schema }) => current && setProperties(schema.properties),
        () => current && setProperties({}),
      );
    return () => {
      current = false;
    };
  }, [agent?.provider, folder, JSON.stringify(config)]);
  return properties;
}
