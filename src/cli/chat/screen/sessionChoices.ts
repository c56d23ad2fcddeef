// What a session can be switched to from the terminal: model, permission mode, effort, another session.
import { autonomyTexts } from '../../../host/settings/autonomy.ts';
import { autonomyLevels } from '../../../model/event.ts';
import { filePath } from '../../../base/fileUri.ts';
import type { SessionState, SessionSummary } from '../../../protocols/ahp/v1_0/state.ts';
import { statusBits } from '../../../protocols/ahp/status.ts';
import type { HostClient } from '../../client/hostClient.ts';
import { age } from '../../say.ts';
import type { ListedChoice } from '../../terminal/choiceList.ts';
import { permissionsChooser, permissionsOf } from './statusLine.ts';

export async function modelChoices(
  link: HostClient,
  { provider }: SessionState,
): Promise<readonly ListedChoice[]> {
  const { agents } = await link.root();
  const models = agents.find((agent) => agent.provider === provider)?.models ?? [];
  return models.map(({ id, name, maxContextWindow }) => ({
    id,
    label: id,
    note: [name === id ? '' : name, contextText(maxContextWindow)].filter((text) => text !== '').join(' · '),
  }));
}

function contextText(tokens: number | undefined): string {
  return tokens === undefined ? '' : `${Math.round(tokens / 1_000)}k context`;
}

/** The modes; the one in use with who chose it. */
export function permissionChoices(session: Pick<SessionState, 'config' | '_meta'>): readonly ListedChoice[] {
  const [used, by] = [permissionsOf(session), permissionsChooser(session)];
  const inUse = by === undefined ? '(in use)' : `(in use, chosen by ${by})`;
  return autonomyLevels.map((id) => ({
    id,
    label: id,
    note: id === used ? `${autonomyTexts[id].meaning} ${inUse}` : autonomyTexts[id].meaning,
    isRed: id === 'full',
  }));
}

/** The mode after this one. Repeated key presses never lead to `full`. */
export function nextPermissions(current: string): string {
  const levels = autonomyLevels.filter((level) => level !== 'full');
  return levels[(levels.findIndex((level) => level === current) + 1) % levels.length] ?? 'ask';
}

/** The values of a setting of the session, such as its effort. */
export async function settingChoices(
  link: HostClient,
  { provider, workingDirectories = [] }: SessionState,
  setting: 'variant' | 'mode',
): Promise<readonly ListedChoice[]> {
  const [workingDirectory] = workingDirectories;
  const { schema } = await link.request('resolveSessionConfig', {
    provider,
    ...(workingDirectory === undefined ? {} : { workingDirectory }),
  });
  const property = schema.properties[setting];
  return (property?.enum ?? []).map((value, at) => ({
    id: String(value),
    label: String(value),
    note: property?.enumDescriptions?.[at],
  }));
}

/** The sessions with something in them, the newest first. */
export async function sessionChoices(link: HostClient, folder?: string): Promise<readonly ListedChoice[]> {
  const { items } = await link.request('listSessions', {});
  return items
    .filter(({ status }) => (status & statusBits.isArchived) === 0)
    .filter((session) => folder === undefined || folderOf(session) === folder)
    .toSorted((a, b) => (a.modifiedAt < b.modifiedAt ? 1 : -1))
    .map((session) => ({
      id: decodeURIComponent(session.resource.slice(session.resource.lastIndexOf('/') + 1)),
      label: session.title === '' ? 'Untitled' : session.title,
      note: [
        ...(isFull(session) ? ['full'] : []),
        age(Date.parse(session.modifiedAt), Date.now()),
        folderOf(session) ?? '',
      ].join(' · '),
      isRed: isFull(session),
    }));
}

/** Whether everything runs unasked in it. */
function isFull({ _meta }: SessionSummary): boolean {
  return _meta?.['permissions'] === 'full';
}

function folderOf({ workingDirectories = [] }: SessionSummary): string | undefined {
  const [first] = workingDirectories;
  return first === undefined ? undefined : (filePath(first) ?? first);
}
