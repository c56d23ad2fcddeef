// The agents that the host offers, and the external agents that are installed or can be.
import { useState } from 'preact/hooks';
import type { AgentRow } from '../../../client/connection/extensions.ts';
import { useClient } from '../../state/app.ts';
import { useHostData, useHostAction } from '../../state/hostData.ts';
import { AddForm } from './AddForm.tsx';
import { AgentRegistry } from './AgentRegistry.tsx';
import { ItemRow } from './ItemRow.tsx';

export function Agents({ managed }: { readonly managed: boolean }) {
  const root = useClient().root.state.value;
  return (
    <>
      <ul class="list">
        {root?.agents.map(({ provider, displayName, description, models }) => (
          <ItemRow
            key={provider}
            name={displayName}
            details={
              <>
                <p>{description}</p>
                {models.length > 0 && <p class="truncate">{models.map(({ name }) => name).join(', ')}</p>}
              </>
            }
          />
        ))}
      </ul>
      {managed && <ExternalAgents />}
    </>
  );
}

function ExternalAgents() {
  const { value: agents, problem, reload } = useHostData('agents/list', {});
  if (problem !== undefined) return <p class="field-error">{problem}</p>;
  const rows = (list: readonly AgentRow[]) =>
    list.map((agent) => <Row key={agent.id} agent={agent} onChanged={() => void reload()} />);
  const here = (agents ?? []).filter(isHere);
  const absent = (agents ?? []).filter((agent) => !isHere(agent));
  return (
    <>
      <h3>External agents</h3>
      <p class="lead">Installed ACP agents are detected automatically. Add others below.</p>
      {here.length > 0 && <ul class="list">{rows(here)}</ul>}
      {absent.length > 0 && (
        <details class="details absent-agents">
          <summary>{absent.length} known agents are not installed</summary>
          <ul class="list">{rows(absent)}</ul>
        </details>
      )}
      <RunningAgents />
      <AgentRegistry onChanged={() => void reload()} />
      <NewAgent onChanged={() => void reload()} />
    </>
  );
}

/** An agent of the settings is shown even if its program is missing. */
function isHere({ path, source }: AgentRow): boolean {
  return path !== undefined || source === 'configured';
}

/** The programs that run now; idle ones end automatically. */
function RunningAgents() {
  const { value: running } = useHostData('agents/running', {});
  if (!running || running.length === 0) return null;
  return (
    <>
      <h3>Running</h3>
      <ul class="list">
        {running.map(({ pid, name, cwd, sessions, busy, age, memory }) => (
          <ItemRow
            key={pid}
            name={name}
            details={
              <p>
                {[
                  ...(memory === undefined ? [] : [`${Math.round(memory / 1_000_000)} MB`]),
                  `${sessions} ${sessions === 1 ? 'session' : 'sessions'}`,
                  `started ${Math.max(1, Math.round(age / 60_000))} min ago`,
                  busy ? 'in use' : 'idle',
                  cwd,
                ].join(' · ')}
              </p>
            }
          />
        ))}
      </ul>
    </>
  );
}

function Row({ agent, onChanged }: { readonly agent: AgentRow; readonly onChanged: () => void }) {
  const { id, name, source, path } = agent;
  const client = useClient();
  const { busy, run } = useHostAction();
  const [result, setResult] = useState('');
  const test = () =>
    run(async () => {
      setResult('');
      const answer = await client.requestExtension('agents/test', { agent: id });
      setResult(
        'problem' in answer ? answer.problem : `Works (${answer.startMs} ms, ACP v${answer.protocol})`,
      );
    });
  const remove = async () => {
    await run(() => client.requestExtension('agents/remove', { agent: id }));
    onChanged();
  };
  return (
    <ItemRow
      wraps
      name={name}
      details={
        <>
          <p class="truncate">
            <Installation agent={agent} />
          </p>
          <p role="status">{busy ? 'Testing…' : result}</p>
        </>
      }
      buttons={
        <>
          {path !== undefined && (
            <button type="button" class="btn small" disabled={busy} onClick={() => void test()}>
              Test
            </button>
          )}
          {source === 'configured' && (
            <button type="button" class="btn small danger" disabled={busy} onClick={() => void remove()}>
              Remove
            </button>
          )}
        </>
      }
    />
  );
}

function Installation({ agent: { disabled, path, install } }: { readonly agent: AgentRow }) {
  if (disabled) return <>Disabled</>;
  return path === undefined ? <>Not installed. {install}</> : <code>{path}</code>;
}

function NewAgent({ onChanged }: { readonly onChanged: () => void }) {
  const client = useClient();
  const add = (agent: string, line: string) => {
    const [command = '', ...args] = line.split(/\s+/);
    return client.requestExtension('agents/add', { agent, command, args });
  };
  return (
    <AddForm
      title="Add an agent"
      label="Command"
      placeholder="my-agent --acp"
      add={add}
      onChanged={onChanged}
    />
  );
}
