// The wire of version 2: requests and answers go out and come in as the rest of the code knows them from
// version 1.
import { isRecord } from '../../../base/isRecord.ts';
import { elicitationCreate, requestPermission } from '../../../protocols/acp/v1/methods.ts';
import { permissionParams, stateUpdate } from '../../../protocols/acp/v2/answerSchema.ts';
import type { Peer } from '../../../rpc/peer.ts';
import type { AgentWire } from '../process/agentWire.ts';
import { steering } from '../session/promptBuilder.ts';
import { PromptState } from './promptState.ts';
import type { ReportedTerminals } from './reportedTerminals.ts';
import { SessionUpdates } from './sessionUpdates.ts';
import { inVersion1, mcpServer } from './settings.ts';

type Fields = { readonly [key: string]: unknown };

export interface Version2WireOptions {
  readonly peer: Pick<Peer, 'request'>;
  readonly terminals: ReportedTerminals;
  /** Takes an update that an answer contains. */
  readonly update: (session: string, update: unknown) => void;
}

export class Version2Wire implements AgentWire {
  readonly #options: Version2WireOptions;
  readonly #sessions = new Map<string, SessionUpdates>();
  /** Where each session works. */
  readonly #folders = new Map<string, unknown>();
  readonly #prompts = new Map<string, PromptState>();
  #questions = 0;

  constructor(options: Version2WireOptions) {
    this.#options = options;
  }

  request(method: string, params: unknown): Promise<unknown> {
    const given = isRecord(params) ? params : {};
    const known = Object.hasOwn(this.#requests, method) ? this.#requests[method] : undefined;
    return known ? known(given, method) : this.#options.peer.request(method, params);
  }

  updates(session: string, update: unknown): readonly unknown[] {
    const told = this.#updatesOf(session);
    if (!isRecord(update) || update['sessionUpdate'] !== 'state_update') return told.take(update);
    const state = stateUpdate.safeParse(update);
    if (!state.success) return [];
    this.#prompts.get(session)?.take(state.data);
    if (state.data.state === 'idle') told.idle();
    return [];
  }

  /** Version 2 has neither files nor terminals of the client. */
  asked(method: string, params: unknown): unknown {
    if (method === elicitationCreate) return params ?? {};
    return method === requestPermission ? this.#permission(params) : undefined;
  }

  readonly #requests: {
    readonly [method: string]: (params: Fields, method: string) => Promise<unknown>;
  } = {
    authenticate: (params) => this.#options.peer.request('auth/login', params),
    'session/new': (params, method) => this.#open(method, params),
    'session/resume': (params, method) => this.#open(method, params),
    'session/prompt': (params) => this.#prompt(params),
    [steering]: (params) => this.#steer(params),
    'session/set_config_option': async (params, method) => {
      const type = typeof params['value'] === 'boolean' ? 'boolean' : 'id';
      return settled(await this.#options.peer.request(method, { ...params, type }));
    },
    'session/close': (params, method) => this.#leave(method, params),
    'session/delete': (params, method) => this.#leave(method, params),
  };

  async #open(method: string, params: Fields): Promise<unknown> {
    const { mcpServers } = params;
    const servers = Array.isArray(mcpServers) ? { mcpServers: mcpServers.map(mcpServer) } : {};
    const answer = settled(await this.#options.peer.request(method, { ...params, ...servers }));
    if (!isRecord(answer)) return answer;
    const session = answer['sessionId'] ?? params['sessionId'];
    const { availableCommands, ...rest } = answer;
    if (typeof session === 'string') this.#folders.set(session, params['cwd']);
    if (typeof session === 'string' && availableCommands !== undefined)
      this.#options.update(session, { sessionUpdate: 'available_commands_update', availableCommands });
    return rest;
  }

  async #prompt(params: Fields): Promise<unknown> {
    const session = sessionOf(params);
    const state = new PromptState();
    this.#prompts.set(session, state);
    try {
      await this.#options.peer.request('session/prompt', params);
      state.accept();
      return await state.ended;
    } finally {
      if (this.#prompts.get(session) === state) this.#prompts.delete(session);
    }
  }

  /** A prompt that comes during a turn becomes part of it. */
  async #steer({ sessionId, prompt }: Fields): Promise<unknown> {
    if (!this.#prompts.has(sessionOf({ sessionId }))) return { outcome: 'promptRequired' };
    await this.#options.peer.request('session/prompt', { sessionId, prompt });
    return { outcome: 'steered' };
  }

  async #leave(method: string, params: Fields): Promise<unknown> {
    const answer = await this.#options.peer.request(method, params);
    this.#sessions.delete(sessionOf(params));
    this.#folders.delete(sessionOf(params));
    return answer;
  }

  #permission(params: unknown): unknown {
    const read = permissionParams.safeParse(params);
    if (!read.success) return params ?? {};
    const { title, description, subject, ...rest } = read.data;
    const told = this.#updatesOf(sessionOf(rest));
    if (subject?.type === 'tool_call') {
      const isKnown = told.knows(subject.toolCall.toolCallId);
      const call = told.call(subject.toolCall);
      return { ...rest, toolCall: { ...(isKnown ? {} : { title }), ...call } };
    }
    this.#questions += 1;
    const toolCallId = subject?.toolCallId ?? `permission-${this.#questions}`;
    // A command is called by its line; what the agent calls the question is about it.
    const words = subject ? [title, description] : [description];
    const isElsewhere = subject?.cwd !== undefined && subject.cwd !== this.#folders.get(sessionOf(rest));
    const command = subject && {
      kind: 'execute',
      rawInput: { command: subject.command, ...(isElsewhere ? { cwd: subject.cwd } : {}) },
    };
    const call = { toolCallId, title: subject?.command ?? title, ...command };
    return { ...rest, toolCall: { ...call, ...contentOf(words) } };
  }

  #updatesOf(session: string): SessionUpdates {
    const known = this.#sessions.get(session);
    if (known) return known;
    const fresh = new SessionUpdates(session, this.#options.terminals);
    this.#sessions.set(session, fresh);
    return fresh;
  }
}

function contentOf(words: readonly (string | undefined)[]): object {
  const content = words.flatMap((text) =>
    text === undefined ? [] : [{ type: 'content', content: { type: 'text', text } }],
  );
  return content.length > 0 ? { content } : {};
}

function settled(answer: unknown): unknown {
  return isRecord(answer) ? inVersion1(answer) : answer;
}

function sessionOf({ sessionId }: Fields): string {
  return typeof sessionId === 'string' ? sessionId : '';
}
