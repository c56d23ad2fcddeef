// What extends the agents of a session: tool servers with how they are, and what the project and its user
// have written. In no log.
import { untrustedLabel } from '../../../host/settings/projectKnowledge.ts';
import type { ProjectKnowledge } from '../../../host/settings/projectKnowledge.ts';
import type { Host } from '../../../host/host.ts';
import { leaveOut, leftOut, leftOutIds } from '../../../host/turns/disabledFeatures.ts';
import type { LeftOut } from '../../../host/turns/disabledFeatures.ts';
import type { Session } from '../../../host/session/session.ts';
import type { ServerView, SignInNeed } from '../../../host/tools/toolServers.ts';
import type { EventKind, Origin } from '../../../model/event.ts';
import { diff } from '../../../protocols/ahp/difference.ts';
import { present } from '../../../base/present.ts';
import type {
  ChildCustomization,
  Customization,
  DirectoryCustomization,
  McpServerState,
} from '../../../protocols/ahp/v1_0/customization.ts';
import type { Clients } from '../clients.ts';
import { fileUri } from '../../../base/fileUri.ts';
import { toActiveClient } from '../sessionClients.ts';
import { metadata } from '../inbound/signIns.ts';

/** The MCP servers of some folders, while a client watches them. */
export interface ServerDesk {
  list(): readonly ServerView[];
  start(server: string): boolean;
  stop(server: string): boolean;
  close(): void;
}

export type OpenDesk = (roots: readonly string[], changed: () => void) => ServerDesk;

interface Looked {
  readonly roots: readonly string[];
  readonly desk: ServerDesk | undefined;
  readonly leave: () => void;
  told: readonly Customization[];
}

export class Customizations {
  readonly #host: Host;
  readonly #clients: Clients;
  readonly #open: OpenDesk | undefined;
  readonly #tell: (channel: string, customizations: readonly Customization[]) => void;
  readonly #looked = new Map<string, Looked>();

  constructor(options: {
    readonly host: Host;
    readonly clients: Clients;
    readonly open: OpenDesk | undefined;
    readonly tell: (channel: string, customizations: readonly Customization[]) => void;
  }) {
    this.#host = options.host;
    this.#clients = options.clients;
    this.#open = options.open;
    this.#tell = options.tell;
  }

  /** Returns the current state and reports changes until the channel is left. */
  enter(channel: string, session: Session): readonly Customization[] {
    this.leave(channel);
    const { roots } = session.state;
    const look = () => this.#look(channel, session);
    const desk = this.#open?.(roots, look);
    const leaves = [
      this.#host.knowledge.watch(look),
      this.#clients.brought.watch(look),
      session.follow((steps) => steps.some(({ entry: { event } }) => extending.has(event.kind)) && look()),
    ];
    const looked: Looked = { desk, roots, told: [], leave: () => leaves.forEach((leave) => leave()) };
    this.#looked.set(channel, looked);
    looked.told = this.#now(session, desk);
    return looked.told;
  }

  leave(channel: string): void {
    const looked = this.#looked.get(channel);
    looked?.leave();
    looked?.desk?.close();
    this.#looked.delete(channel);
  }

  close(): void {
    for (const channel of [...this.#looked.keys()]) this.leave(channel);
  }

  hasServer(channel: string, server: string): boolean {
    return (
      this.#looked
        .get(channel)
        ?.desk?.list()
        .some(({ name }) => name === server) ?? false
    );
  }

  run(channel: string, server: string, wish: 'start' | 'stop'): void {
    this.#looked.get(channel)?.desk?.[wish](server);
  }

  /** Enables or disables a customization for one session; returns the reason if it cannot. */
  toggle(
    channel: string,
    session: Session,
    { id, wish, by }: { readonly id: string; readonly wish: 'on' | 'off'; readonly by: Origin },
  ): string | undefined {
    const looked = this.#looked.get(channel);
    const one = looked && listed(this.#now(session, looked.desk)).find((each) => each.id === id);
    if (!looked || !one) return 'There is no such customization in this session.';
    if (isOwn(one)) return 'Built-in customizations cannot be disabled.';
    if (
      one.type === 'mcpServer' &&
      wish === 'on' &&
      one.enablement?.some(({ kind, enabled }) => kind === 'global' && !enabled)
    )
      return 'It is disabled in the settings.';
    const out = new Set(leftOut(session.head));
    const key = keyOf(one);
    if (out.has(key) === (wish === 'off')) return 'It already has this state.';
    if (wish === 'off') out.add(key);
    else out.delete(key);
    // The client has applied its own action optimistically; the actual state is sent again once it is stored.
    looked.told = [];
    return session.dispatch(leaveOut(out), by)?.message;
  }

  /** The same by location, which is how version 1 names a customization. */
  idAt(channel: string, uri: string): string | undefined {
    return listed(this.#looked.get(channel)?.told ?? []).find(
      (one) => one.uri === uri && one.type !== 'directory',
    )?.id;
  }

  #look(channel: string, session: Session): void {
    const looked = this.#looked.get(channel);
    if (!looked) return;
    const now =
      looked.roots === session.state.roots ? this.#now(session, looked.desk) : this.enter(channel, session);
    if (diff(looked.told, now).length === 0) return;
    looked.told = now;
    this.#tell(channel, now);
  }

  #now({ state }: Session, desk: ServerDesk | undefined): readonly Customization[] {
    const clients = this.#clients;
    const brought = state.clients.map(toActiveClient).flatMap(({ clientId, customizations = [] }) =>
      customizations.map((one): Customization => ({
        ...one,
        clientId,
        ...clients.brought.of(clientId, one, clients.resourcesOf(clientId)),
      })),
    );
    const out = leftOut(state);
    return [
      ...(desk?.list() ?? []).map(ofServer),
      ...ofKnowledge(this.#host.knowledge.now(state.roots), state.roots),
      ...brought,
    ].map((one) => withSwitch(one, out));
  }
}

/** What changes what extends the agents of a session. */
const extending: ReadonlySet<EventKind> = new Set<EventKind>([
  'session.changed',
  'features.disabled',
  'client.joined',
  'client.left',
]);

/** Everything that can be enabled or disabled: folders and their children. */
function listed(all: readonly Customization[]): readonly (Customization | ChildCustomization)[] {
  return all.flatMap((one): readonly (Customization | ChildCustomization)[] =>
    one.type === 'directory' ? [one, ...(one.children ?? [])] : [one],
  );
}

/** A definition without a file came with the program. */
function isOwn({ type, uri }: Customization | ChildCustomization): boolean {
  return type === 'agent' && uri.startsWith(ownAgents);
}

function keyOf(one: Customization | ChildCustomization): string {
  if (one.type === 'mcpServer') return leftOutIds.server(one.id);
  return one.type === 'plugin' ? `plugin:${one.clientId ?? ''}:${one.id}` : one.id;
}

/** How it is shown that something is switched off here. */
function withSwitch(one: Customization, out: LeftOut): Customization {
  const isOff = out.has(keyOf(one));
  if (one.type !== 'directory')
    return isOff
      ? { ...one, enablement: [{ kind: 'session', enabled: false }, ...(one.enablement ?? [])] }
      : one;
  return {
    ...one,
    enabled: !isOff,
    children: (one.children ?? []).map((child) =>
      out.has(keyOf(child)) ? { ...child, enabled: false } : child,
    ),
  };
}

const ownAgents = 'parley-agent:/';

function serverUri(name: string): string {
  return `parley-server:/${encodeURIComponent(name)}`;
}

function ofServer({ name, status, problem, signIn }: ServerView): Customization {
  const enablement = status === 'disabled' ? [{ kind: 'global', enabled: false }] : undefined;
  return present({
    type: 'mcpServer' as const,
    id: name,
    uri: serverUri(name),
    name,
    enablement,
    state: stateOf(status, { name, problem, signIn }),
  });
}

function stateOf(
  status: ServerView['status'],
  {
    name,
    problem = 'The server is not running.',
    signIn,
  }: Pick<ServerView, 'name'> & { readonly [Key in 'problem' | 'signIn']: ServerView[Key] | undefined },
): McpServerState {
  switch (status) {
    case 'starting':
      return { kind: 'starting' };
    case 'running':
      return { kind: 'ready' };
    case 'failed':
      return { kind: 'error', error: { errorType: 'server', message: problem } };
    case 'requires-auth':
      return authRequired(name, signIn);
    case 'stopped':
    case 'disabled':
      return { kind: 'stopped' };
    default:
      return status satisfies never;
  }
}

/** A user whose client cannot get a token for the resource can sign in from the command line. */
function authRequired(name: string, { resource, reason, scopes }: Partial<SignInNeed> = {}): McpServerState {
  return present({
    kind: 'authRequired' as const,
    reason: reason ?? 'required',
    resource: resource ? metadata(resource) : { resource: serverUri(name), resource_name: name },
    requiredScopes: scopes,
    description: `Sign in with \`parley mcp login ${name}\`, or let a client do it.`,
  });
}

/** One folder for each kind of file, with the files that could not be read. */
function ofKnowledge(knowledge: ProjectKnowledge, [root = '/']: readonly string[]): readonly Customization[] {
  const { problems } = knowledge;
  const load: DirectoryCustomization['load'] =
    problems.length > 0 ? { kind: 'degraded', message: problems.join('\n') } : { kind: 'loaded' };
  const folders = [
    { contents: 'rule', name: 'Rules', children: rulesOf(knowledge) },
    { contents: 'skill', name: 'Skills', children: skillsOf(knowledge) },
    { contents: 'prompt', name: 'Commands', children: promptsOf(knowledge) },
    { contents: 'agent', name: 'Agents', children: agentsOf(knowledge) },
  ] as const;
  return folders
    .filter(({ children }) => children.length > 0)
    .map(({ contents, name, children }) => ({
      type: 'directory',
      id: leftOutIds.all(contents),
      uri: fileUri(root),
      name,
      enabled: true,
      contents,
      writable: false,
      load,
      children,
    }));
}

function rulesOf({ instructions, rules }: ProjectKnowledge): readonly ChildCustomization[] {
  const files = instructions.map(({ path, untrusted }) => ({
    type: 'rule' as const,
    id: leftOutIds.rule(path),
    uri: fileUri(path),
    name: labelled(path.split('/').at(-1) ?? path, untrusted),
    alwaysApply: true,
  }));
  const named = rules.map(({ id, name, path, globs, untrusted }) =>
    present({
      type: 'rule' as const,
      id: leftOutIds.rule(id),
      uri: fileUri(path),
      name: labelled(name, untrusted),
      alwaysApply: globs.length === 0,
      globs: globs.length > 0 ? globs : undefined,
    }),
  );
  return [...files, ...named];
}

function labelled(name: string, untrusted: boolean | undefined): string {
  return untrusted ? `${name} ${untrustedLabel}` : name;
}

function skillsOf({ skills }: ProjectKnowledge): readonly ChildCustomization[] {
  return skills.map(({ name, description, folder }) => ({
    type: 'skill',
    id: leftOutIds.skill(name),
    uri: fileUri(folder),
    name,
    description,
  }));
}

function promptsOf({ commands }: ProjectKnowledge): readonly ChildCustomization[] {
  return commands.map(({ name, description, path }) => ({
    type: 'prompt',
    id: leftOutIds.prompt(name),
    uri: fileUri(path),
    name,
    description,
  }));
}

function agentsOf({ agents }: ProjectKnowledge): readonly ChildCustomization[] {
  return agents.map(({ name, description, source, model }) =>
    present({
      type: 'agent' as const,
      id: leftOutIds.agent(name),
      uri: source === undefined ? `${ownAgents}${encodeURIComponent(name)}` : fileUri(source),
      name,
      description,
      model,
    }),
  );
}
