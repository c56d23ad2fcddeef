// The step from format 1 to format 2. Format 1 kept many facts as notes of doors, some of them in
// the words of AHP 1.0; they become typed events. This file describes a format of the past and does
// not change with today's.
import type { Json } from '../event.ts';
import {
  clientContent,
  contentFromFormat1,
  detailsFromFormat1,
  messageFromFormat1,
  resultDetails,
  resultFromFormat1,
} from './upgradeFormat1Details.ts';

interface Old {
  readonly [key: string]: Json;
}

export function fromFormat1(old: Old): Old {
  switch (textIn(old['kind'])) {
    case 'note':
      return fromNote(textIn(old['door']), textIn(old['key']), old['value'] ?? null);
    case 'terminal.started':
    case 'terminal.ended':
      return retired(textIn(old['kind']));
    case 'session.created':
      return withClientOptions(old);
    case 'session.changed':
      return { ...old, changes: withClientOptions(recordIn(old['changes'])) };
    case 'message.queued':
    case 'message.steered':
    case 'turn.started':
      return { ...old, message: messageFromFormat1(recordIn(old['message'])) };
    case 'tool.output':
      return { ...old, output: fromOutput(recordIn(old['output'])) };
    case 'tool.ended':
      return withHook({ ...old, result: resultFromFormat1(recordIn(old['result'])) });
    default:
      return old;
  }
}

/**
 * Settings that no agent offers were among the options, under the name of AHP; a change
 * without them removed them.
 */
function withClientOptions(settings: Old): Old {
  if (settings['options'] === undefined) return settings;
  const { ahp, ...options } = recordIn(settings['options']);
  return { ...settings, options, clientOptions: recordIn(ahp) };
}

function fromOutput(output: Old): Old {
  const replace = contentFromFormat1(output['replace']);
  return replace ? { ...output, replace } : output;
}

function fromNote(door: string, key: string, value: Json): Old {
  if (door === 'host') return fromHostNote(key, recordIn(value));
  if (door === 'client') return fromClientNote(key, value);
  if (door === 'ahp') return fromAhpNote(recordIn(value));
  if (door === 'eca') return note('doors/eca', key, value);
  return door.startsWith('agent:')
    ? fromAgentNote(door.slice('agent:'.length), key, value)
    : retired(`note ${door}:${key}`);
}

function fromHostNote(key: string, value: Old): Old {
  const [, turn] = /^prepared (.+)$/s.exec(key) ?? [];
  if (turn !== undefined)
    return {
      kind: 'turn.prepared',
      turn,
      stage: stages.find((stage) => stage === value['stage']) ?? 'agent',
      early: numberIn(value['early']),
    };
  const [, chat] = /^undone:(.+)$/s.exec(key) ?? [];
  if (chat === undefined) return retired(`note host:${key}`);
  const after = typeof value['after'] === 'string' ? value['after'] : null;
  return {
    kind: 'files.restored',
    chat,
    after,
    restored: textsIn(value['restored']),
    left: textsIn(value['left']),
  };
}

const stages = ['opening', 'message', 'agent'] as const;

function fromClientNote(key: string, value: Json): Old {
  if (key === 'meta') return { kind: 'session.instructed', extensions: recordIn(value) };
  if (key === 'leftOut') return { kind: 'features.disabled', ids: textsIn(value) };
  const { mode, text } = recordIn(value);
  if (key !== 'systemPrompt' || typeof text !== 'string') return retired(`note client:${key}`);
  return { kind: 'session.instructed', prompt: { mode: mode === 'override' ? 'override' : 'append', text } };
}

/**
 * The native agent was called `parley`; all others were external. Nobody read the private facts of external
 * agents, which were messages of ACP.
 */
function fromAgentNote(agent: string, key: string, value: Json): Old {
  if (key === 'hook') return fromHook(recordIn(value));
  const [, message] = /^given:(.+)$/s.exec(key) ?? [];
  if (message !== undefined) return fromGiven(message, recordIn(value));
  return (
    (agent === 'parley' ? fromNativeNote(key, value) : undefined) ?? retired(`note agent:${agent}:${key}`)
  );
}

/** The native agent named the chat in the key of its own facts. */
function fromNativeNote(key: string, value: Json): Old | undefined {
  const [, name, chat] = /^(prompt|pictures|undone):(.+)$/s.exec(key) ?? [];
  if (chat === undefined) return undefined;
  if (name === 'undone') return { kind: 'turns.reverted', chat, turns: textsIn(value) };
  if (name === 'prompt') return { kind: 'prompt.pinned', chat, prompt: fromPin(recordIn(value)) };
  const upTo = Object.entries(recordIn(value)).filter(([, turn]) => typeof turn === 'string');
  return { kind: 'images.refused', chat, upTo: Object.fromEntries(upTo) };
}

function fromPin({ made, text, told }: Old): Json {
  if (typeof made !== 'string' || typeof text !== 'string') return null;
  return { text, madeFor: made, ...(told === true ? { changeTold: true } : {}) };
}

function fromHook({ chat, id, name, status, output, error, call }: Old): Old {
  if (typeof chat !== 'string' || typeof id !== 'string' || typeof name !== 'string') return retired('hook');
  const result =
    typeof status === 'number'
      ? { result: { status, output: textIn(output), error: typeof error === 'string' ? error : null } }
      : {};
  return { kind: 'hook.ran', chat, id, name, ...result, ...(typeof call === 'string' ? { call } : {}) };
}

function fromGiven(message: string, { attached, more, words }: Old): Old {
  const text = typeof words === 'string' ? { text: words } : {};
  return {
    kind: 'input.resolved',
    message,
    input: {
      ...text,
      attachments: listIn(attached).map((part) => partIn(part) ?? null),
      added: listIn(more).flatMap((part) => partIn(part) ?? []),
    },
  };
}

function partIn(value: Json): Json | undefined {
  if (typeof value === 'string') return value;
  const { mediaType, data } = recordIn(value);
  return typeof mediaType === 'string' && typeof data === 'string'
    ? { type: 'image', mediaType, data }
    : undefined;
}

function fromAhpNote(value: Old): Old {
  const chat = textIn(value['chat']);
  switch (textIn(value['note'])) {
    case 'draft':
      return {
        kind: 'draft.set',
        chat,
        draft: value['draft'] === null ? null : fromMessage(recordIn(value['draft'])),
      };
    case 'answer':
      return ahpNote(`answer:${JSON.stringify([chat, value['ask'], value['question']])}`, {
        note: 'answer',
        chat,
        ask: textIn(value['ask']),
        question: textIn(value['question']),
        answer: fromAnswer(value['answer'] ?? null),
      });
    case 'client':
      return value['active'] === null
        ? { kind: 'client.left', client: textIn(value['client']) }
        : { kind: 'client.joined', client: fromClient(recordIn(value['active'])) };
    case 'result':
      return {
        kind: 'tool.held',
        chat,
        turn: textIn(value['turn']),
        tool: textIn(value['tool']),
        result: fromResult(recordIn(value['result'])),
      };
    case 'reviewed':
      return ahpNote(`reviewed:${JSON.stringify([value['of'], value['file']])}`, {
        note: 'reviewed',
        of: textIn(value['of']),
        file: textIn(value['file']),
        reviewed: value['reviewed'] === true,
      });
    case 'undone':
      return { kind: 'edits.reverted', edits: textsIn(value['edits']).flatMap(editIn) };
    case 'echo':
      return fromEcho(textIn(value['place']), recordIn(value['action']));
    case 'config':
      return ahpNote('config', { note: 'config', values: value['values'] ?? {} });
    case 'clients':
      return ahpNote('clients', { note: 'clients', known: value['known'] ?? [] });
    default:
      return retired('note ahp');
  }
}

/** What AHP says about a draft is in its details; nobody else reads a draft's attachments. */
function fromMessage({ text, origin, attachments, model, agent, _meta }: Old): Old {
  const { id } = recordIn(model);
  const isByUser = recordIn(origin)['kind'] === 'user';
  const kept = present({
    origin: isByUser ? undefined : origin,
    attachments,
    model,
    agent,
    _meta,
  });
  const details = detailsFromFormat1(kept);
  return present({
    text: textIn(text),
    attachments:
      attachments === undefined
        ? undefined
        : listIn(attachments).map((each) => fromAttachment(recordIn(each))),
    model: typeof id === 'string' ? id : undefined,
    details: Object.keys(details).length > 0 ? details : undefined,
  });
}

function fromAttachment({ type, label, data, contentType, uri }: Old): Old {
  const mediaType = textIn(contentType);
  if (type === 'embeddedResource' && mediaType.startsWith('image/'))
    return { type: 'image', mediaType, data: textIn(data) };
  if (type === 'embeddedResource' && mediaType.startsWith('audio/'))
    return { type: 'audio', mediaType, data: textIn(data) };
  return {
    type: 'link',
    uri: typeof uri === 'string' ? uri : `data:${mediaType};base64,${textIn(data)}`,
    name: textIn(label),
  };
}

function fromAnswer(answer: Json): Json {
  const { state, value, freeformValues } = recordIn(answer);
  if (state === 'skipped') return { state, free: textsIn(freeformValues) };
  if (state !== 'draft' && state !== 'submitted') return null;
  const filled = state === 'draft' ? 'draft' : 'final';
  const { kind, value: said = '', freeformValues: free } = recordIn(value);
  if (kind === 'selected') return { state: filled, chosen: [textIn(said)], many: false, free: textsIn(free) };
  return kind === 'selected-many'
    ? { state: filled, chosen: textsIn(said), many: true, free: textsIn(free) }
    : { state: filled, value: said };
}

function fromClient({ clientId, displayName, tools, customizations }: Old): Old {
  return present({
    id: textIn(clientId),
    name: displayName,
    tools: listIn(tools).map((tool) => fromTool(recordIn(tool))),
    plugins:
      customizations === undefined
        ? undefined
        : listIn(customizations).map((plugin) => fromPlugin(recordIn(plugin))),
  });
}

function fromTool({ name, title, description, inputSchema, outputSchema, annotations, _meta }: Old): Old {
  return present({
    name: textIn(name),
    title,
    description,
    input: inputSchema,
    output: outputSchema,
    hints: annotations,
    extensions: _meta,
  });
}

function fromPlugin({ type: _, id, uri, name, nonce, ...rest }: Old): Old {
  return present({
    id: textIn(id),
    uri: textIn(uri),
    name: textIn(name),
    revision: nonce,
    extensions: Object.keys(rest).length > 0 ? rest : undefined,
  });
}

/** The same that the door made of a result when it ended a call. */
function fromResult(result: Old): Old {
  const content = listIn(result['content']).map((each) => clientContent(recordIn(each)));
  const more = resultDetails(result);
  if (result['success'] === true) return { status: 'done', content, ...more };
  const said = result['pastTenseMessage'];
  const error =
    recordIn(result['error'])['message'] ?? (typeof said === 'string' ? said : recordIn(said)['markdown']);
  return { status: 'failed', content, ...more, error: textIn(error) };
}

/** A place was written as a list in JSON. */
function editIn(place: string): readonly Old[] {
  const [turn, tool, index] = listIn(parsed(place));
  return typeof turn === 'string' && typeof tool === 'string' && typeof index === 'number'
    ? [{ turn, tool, index }]
    : [];
}

const parseJson: (text: string) => Json = JSON.parse;

function parsed(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function fromEcho(chat: string, { type, title, turnId }: Old): Old {
  if (type === 'session/titleChanged') return ahpNote('echo', { note: 'titled', chat, title: textIn(title) });
  if (type !== 'chat/truncated') return retired('note ahp:echo');
  return ahpNote('echo', present({ note: 'truncated', chat, after: turnId }));
}

/** A refusal by a hook could be told by the text of its rule alone. */
function withHook(old: Old): Old {
  const result = recordIn(old['result']);
  const [, hook] = /\(hook '([^']*)'/.exec(textIn(result['rule'])) ?? [];
  return result['status'] !== 'denied' || hook === undefined ? old : { ...old, result: { ...result, hook } };
}

function note(owner: string, key: string, value: Json): Old {
  return { kind: 'note', owner, key, value };
}

function ahpNote(key: string, value: Json): Old {
  return note('doors/ahp', key, value);
}

function retired(was: string): Old {
  return { kind: 'retired', was };
}

function present(value: { readonly [key: string]: Json | undefined }): Old {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => (each === undefined ? [] : [[key, each] as const])),
  );
}

function textIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function numberIn(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0;
}

function textsIn(value: Json | undefined): readonly string[] {
  return listIn(value).filter((each) => typeof each === 'string');
}

function listIn(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function recordIn(value: Json | undefined): Old {
  return typeof value === 'object' && value !== null && !isList(value) ? value : {};
}
