// Who can work here: the agents that the host offers, and those that were found or could be installed.
import { useState } from 'preact/hooks';
import type { AgentRow } from '../../client/own.ts';
import { useClient } from '../../state/app.ts';
import { useAsked, useDoing } from '../../state/asking.ts';
import { AddForm } from './AddForm.tsx';

export function Agents({ managed }: { readonly managed: boolean }) {
  const root = useClient().root.state.value;
  return (
    <>
      <ul class="cards agents">
        {root?.agents.map(({ provider, displayName, description, models }) => (
          <li key={provider} class="card" aria-label={displayName}>
            <div class="card-text">
              <strong>{displayName}</strong>
              <p>{description}</p>
              {models.length > 0 && <p class="hint models">{models.map(({ name }) => name).join(', ')}</p>}
            </div>
          </li>
        ))}
      </ul>
      {managed && <Known />}
    </>
  );
}

function Known() {
  const { value: agents, problem, again } = useAsked('agents/list', {});
  if (problem !== undefined) return <p class="problem">{problem}</p>;
  return (
    <>
      <h2>External agents</h2>
      <p class="hint">
        Programs on the host's PATH that speak ACP are found by themselves; others can be added below.
      </p>
      <ul class="cards">
        {agents?.map((agent) => (
          <Row key={agent.id} agent={agent} onChanged={() => void again()} />
        ))}
      </ul>
      <NewAgent onChanged={() => void again()} />
    </>
  );
}

function Row({
  agent: { id, name, source, path, install, disabled },
  onChanged,
}: {
  readonly agent: AgentRow;
  readonly onChanged: () => void;
}) {
  const client = useClient();
  const { busy, attempt } = useDoing();
  const [result, setResult] = useState('');
  const tryIt = () =>
    attempt(async () => {
      setResult('');
      const answer = await client.ask('agents/test', { agent: id });
      setResult(
        'problem' in answer
          ? answer.problem
          : `It answered after ${answer.startMs} ms (protocol ${answer.protocol}).`,
      );
    });
  const remove = async () => {
    await attempt(() => client.ask('agents/remove', { agent: id }));
    onChanged();
  };
  return (
    <li class="card" aria-label={name}>
      <div class="card-text">
        <strong>{name}</strong>
        <p class="hint">
          {disabled ? (
            'Turned off'
          ) : path === undefined ? (
            `Not installed. ${install ?? ''}`
          ) : (
            <code>{path}</code>
          )}
        </p>
        <p class="hint" role="status">
          {busy ? 'Starting it…' : result}
        </p>
      </div>
      {path !== undefined && (
        <button type="button" disabled={busy} onClick={() => void tryIt()}>
          Try it
        </button>
      )}
      {source === 'configured' && (
        <button type="button" class="danger" disabled={busy} onClick={() => void remove()}>
          Remove
        </button>
      )}
    </li>
  );
}

function NewAgent({ onChanged }: { readonly onChanged: () => void }) {
  const client = useClient();
  const add = (agent: string, line: string) => {
    const [command = '', ...args] = line.split(/\s+/);
    return client.ask('agents/add', { agent, command, args });
  };
  return (
    <AddForm
      title="Add an agent"
      label="Command"
      placeholder="a program that speaks ACP, and its arguments"
      add={add}
      onChanged={onChanged}
    />
  );
}
