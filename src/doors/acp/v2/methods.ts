// The methods of version 2: which function handles each. Most are those of version 1 with other names.
import { pipeMethods } from '../../../host/door.ts';
import { newSessionParams, promptParams, sessionParams } from '../../../protocols/acp/v1/agentSchema.ts';
import {
  initializeParams,
  loginParams,
  resumeParams,
  setConfigOptionParams,
} from '../../../protocols/acp/v2/agentSchema.ts';
import type { ResumeParams } from '../../../protocols/acp/v2/agentSchema.ts';
import type { SessionSettings } from '../../../protocols/acp/v2/messages.ts';
import type { AcpConnection } from '../connection.ts';
import { invalidParams } from '../errors.ts';
import { signIn, signOut } from '../inbound/accounts.ts';
import { bothVersions, repeatRequest } from '../inbound/bothVersions.ts';
import { call } from '../inbound/readParams.ts';
import type { MethodHandler, NotificationHandler } from '../inbound/readParams.ts';
import { resumption } from '../inbound/resume.ts';
import { loadSession, newSession, resumeSession } from '../inbound/sessions.ts';
import { configOptionsOf, selectedAgent } from '../inbound/sessionSettings.ts';
import { setOption } from '../inbound/setOption.ts';
import { initializeResult, knownCapabilities } from './initialize.ts';
import { version2 } from './project.ts';
import { cancel, prompt } from './prompts.ts';
import { command, configOption } from './translate.ts';

/** Whether a client asks for version 2 in its form. */
export function asksForVersion2(params: unknown): boolean {
  return initializeParams.safeParse(params).success;
}

export const initialize = call(initializeParams, ({ connection, options }, { info, capabilities }) => {
  connection.client = { info, capabilities: knownCapabilities(capabilities) };
  connection.version = version2;
  return initializeResult(options.version, capabilities);
});

/** Requests that may be handled again by another host, because the second time changes nothing more. */
const repeatable: ReadonlySet<string> = new Set([
  'auth/login',
  'session/list',
  'session/close',
  'session/delete',
  'session/set_config_option',
]);

const again = repeatRequest({
  prompt,
  repeatable: (method) => (repeatable.has(method) ? requests.get(method) : undefined),
});

export const requests: ReadonlyMap<string, MethodHandler> = new Map<string, MethodHandler>([
  ...bothVersions,
  ...resumption,
  [pipeMethods.again, again],
  ['auth/login', call(loginParams, ({ options }, { methodId }) => signIn(options, methodId))],
  ['auth/logout', ({ options }) => signOut(options)],
  [
    'session/new',
    call(newSessionParams, async ({ connection, options }, params) => {
      const { sessionId } = await newSession(connection, params, options.agent);
      return { sessionId, ...settingsOf(connection, sessionId) };
    }),
  ],
  [
    'session/resume',
    call(resumeParams, async ({ connection }, params, { signal }) => {
      await open(connection, params, signal);
      return settingsOf(connection, params.sessionId);
    }),
  ],
  [
    'session/prompt',
    call(promptParams, ({ connection }, params, context) => prompt(connection, params, context)),
  ],
  [
    'session/set_config_option',
    call(setConfigOptionParams, async ({ connection }, { sessionId, configId, value }) => {
      await setOption(connection, sessionId, { configId, value });
      return { configOptions: settingsOf(connection, sessionId).configOptions };
    }),
  ],
]);

export const notifications: ReadonlyMap<string, NotificationHandler[1]> = new Map<
  string,
  NotificationHandler[1]
>([
  [
    'session/cancel',
    ({ connection }, params) => {
      const read = sessionParams.safeParse(params);
      if (read.success) cancel(connection, read.data.sessionId);
    },
  ],
]);

async function open(
  connection: AcpConnection,
  { replayFrom, ...params }: ResumeParams,
  signal: AbortSignal,
): Promise<void> {
  if (replayFrom == null) await resumeSession(connection, params);
  else if (replayFrom.type === 'start') await loadSession(connection, params, signal);
  else
    throw invalidParams(`replayFrom: this agent replays from the start only, not from ${replayFrom.type}.`);
}

function settingsOf(connection: AcpConnection, sessionId: string): SessionSettings {
  const { state } = connection.chat(sessionId).session;
  const agents = connection.host.agents(state.roots);
  const commands = selectedAgent(agents, state)?.commands ?? [];
  return {
    configOptions: configOptionsOf(agents, state, connection.switches).map(configOption),
    availableCommands: commands.map(({ name, description, hint }) =>
      command({ name, description, ...(hint !== undefined && { input: { hint } }) }),
    ),
  };
}
