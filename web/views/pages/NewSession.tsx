// Starts a session: which agent, which model, in which folder, and perhaps the first message.
import { useEffect, useState } from 'preact/hooks';
import type { SessionConfigPropertySchema } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { AgentInfo } from '../../../src/protocols/ahp/v1_0/state.ts';
import { useClient } from '../../state/app.ts';
import { useAsked } from '../../state/asking.ts';
import { goTo } from '../../state/route.ts';
import { problemText } from '../../state/toasts.ts';
import { typedFileUri, placeOf } from '../../text/words.ts';
import { draftOf } from '../compose/drafts.ts';
import { ModelPicker } from '../compose/ModelPicker.tsx';
import { ConfigForm } from '../parts/ConfigForm.tsx';
import { FolderField } from './FolderField.tsx';
import { startSession } from './startSession.ts';

export function NewSessionPage() {
  const client = useClient();
  const agents = client.root.state.value?.agents ?? [];
  const [provider, setProvider] = useState<string>();
  const [model, setModel] = useState<string>();
  const [folder, setFolder] = useState<string>();
  const [text, setText] = useState('');
  const [config, setConfig] = useState<Readonly<Record<string, unknown>>>({});
  const [problem, setProblem] = useState('');
  const [starting, setStarting] = useState(false);
  const agent = agents.find((candidate) => candidate.provider === provider) ?? agents[0];
  const usual = useUsualFolder();
  const directory = folder ?? usual;
  const properties = useConfig(agent, directory, config);

  if (!agent)
    return (
      <section class="page">
        <h1 tabIndex={-1}>New session</h1>
        <p>The host has no agent yet.</p>
      </section>
    );
  return (
    <section class="page new-session">
      <h1 tabIndex={-1}>New session</h1>
      <form onSubmit={(event) => void start(event)}>
        <label>
          <span>Agent</span>
          <select value={agent.provider} onChange={(event) => choose(event.currentTarget.value)}>
            {agents.map(({ provider: id, displayName }) => (
              <option key={id} value={id}>
                {displayName}
              </option>
            ))}
          </select>
        </label>
        <p class="hint">{agent.description}</p>
        {agent.models.length > 0 && (
          <div class="setting">
            <span aria-hidden="true">Model</span>
            <ModelPicker models={agent.models} model={model} onChoose={setModel} />
          </div>
        )}
        <FolderField folder={directory} onChange={setFolder} />
        <ConfigForm
          properties={properties}
          values={config}
          onChange={(change) => setConfig((now) => ({ ...now, ...change }))}
        />
        <label>
          <span>First message</span>
          <textarea
            rows={4}
            value={text}
            placeholder="What shall be done? For example: what is in this folder? You can also say it later."
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        {problem !== '' && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <button type="submit" class="primary" disabled={starting}>
          Start
        </button>
      </form>
    </section>
  );

  function choose(next: string): void {
    setProvider(next);
    setModel(undefined);
    setConfig({});
  }

  async function start(event: Event): Promise<void> {
    event.preventDefault();
    if (!agent) return;
    setStarting(true);
    setProblem('');
    try {
      const chosen = model === undefined ? {} : { model };
      const where = directory.trim() === '' ? {} : { directory: typedFileUri(directory) };
      const { session, chat } = await startSession(client, {
        provider: agent.provider,
        config,
        text: text.trim(),
        ...chosen,
        ...where,
      });
      if (model !== undefined && chat !== undefined)
        draftOf(chat).value = { text: '', attachments: [], model };
      goTo({ page: 'session', session });
    } catch (error) {
      setProblem(problemText(error));
      setStarting(false);
    }
  }
}

/** Where the host says, where the last session works, or where the host was called from. */
function useUsualFolder(): string {
  const client = useClient();
  const { value: here } = useAsked('console/folder', {});
  const [last] = [...client.sessions.value.values()].toSorted((a, b) =>
    a.modifiedAt < b.modifiedAt ? 1 : -1,
  );
  return placeOf(client.host.value?.defaultDirectory ?? last?.workingDirectories?.[0] ?? here ?? '');
}

type Properties = Readonly<Record<string, SessionConfigPropertySchema>>;

/** What the agent lets a person choose for a session in that folder. */
function useConfig(
  agent: AgentInfo | undefined,
  folder: string,
  config: Readonly<Record<string, unknown>>,
): Properties {
  const client = useClient();
  const [properties, setProperties] = useState<Properties>({});
  const chosen = JSON.stringify(config);
  useEffect(() => {
    let current = true;
    const where = folder === '' ? {} : { workingDirectory: typedFileUri(folder) };
    client
      .request('resolveSessionConfig', { ...(agent ? { provider: agent.provider } : {}), ...where, config })
      .then(
        ({ schema }) => current && setProperties(schema.properties),
        () => current && setProperties({}),
      );
    return () => {
      current = false;
    };
  }, [agent?.provider, folder, chosen]);
  return properties;
}
