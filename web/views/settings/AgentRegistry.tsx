// The agents of the public registry, to install, update and remove.
import type { RegistryAgent } from '../../../client/connection/extensions.ts';
import { useClient } from '../../state/app.ts';
import { useHostAction, usePolledHostData } from '../../state/hostData.ts';
import { ItemRow } from './ItemRow.tsx';

/** How often the progress of an installation is read, in milliseconds. */
const interval = 2_000;

export function AgentRegistry({ onChanged }: { readonly onChanged: () => void }) {
  const client = useClient();
  const { value: registry, problem, reload } = usePolledHostData('agents/registry', {}, interval);
  const { busy, run } = useHostAction();
  const refresh = async () => {
    await run(() => client.requestExtension('agents/registry', { refresh: true }));
    await reload();
  };
  const changed = async () => {
    await reload();
    onChanged();
  };
  return (
    <>
      <h3>Install an agent</h3>
      <p class="lead">
        {registry?.isSnapshot
          ? 'These come with Parley. Refresh the list to see all agents of the public ACP registry.'
          : 'The agents of the public ACP registry.'}
      </p>
      <button type="button" class="btn small" disabled={busy} onClick={() => void refresh()}>
        Refresh list
      </button>
      {(problem ?? registry?.problem) && <p class="field-error">{problem ?? registry?.problem}</p>}
      <ul class="list">
        {registry?.agents.map((agent) => (
          <Row key={agent.registryId} agent={agent} onChanged={() => void changed()} />
        ))}
      </ul>
    </>
  );
}

function Row({ agent, onChanged }: { readonly agent: RegistryAgent; readonly onChanged: () => void }) {
  const { id, registryId, name, version, installed, kinds, description, job } = agent;
  const client = useClient();
  const { busy, run } = useHostAction();
  const isWorking = busy || (job !== undefined && 'text' in job);
  const install = async () => {
    await run(() => client.requestExtension('agents/install', { agent: registryId }));
    onChanged();
  };
  const remove = async () => {
    await run(() => client.requestExtension('agents/uninstall', { agent: id }));
    onChanged();
  };
  const isNew = installed !== version && kinds.length > 0;
  return (
    <ItemRow
      wraps
      name={name}
      details={
        <>
          <p class="truncate">
            {[installed === undefined ? version : `${installed} is installed`, description]
              .filter(Boolean)
              .join(' · ')}
          </p>
          <JobText job={job} />
        </>
      }
      buttons={
        <>
          {isNew && (
            <button type="button" class="btn small" disabled={isWorking} onClick={() => void install()}>
              {installed === undefined ? 'Install' : `Update to ${version}`}
            </button>
          )}
          {installed !== undefined && (
            <button type="button" class="btn small danger" disabled={isWorking} onClick={() => void remove()}>
              Remove
            </button>
          )}
        </>
      }
    />
  );
}

function JobText({ job }: { readonly job: RegistryAgent['job'] }) {
  if (!job) return null;
  if ('problem' in job) return <p class="field-error">{job.problem}</p>;
  return (
    <p role="status">
      {job.text} {job.part !== undefined && <progress value={job.part} aria-label={job.text} />}
    </p>
  );
}
