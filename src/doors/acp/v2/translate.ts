// Puts what version 1 says into the words of version 2. Pure.
import { diffTexts } from '../../../base/textDiff.ts';
import type * as v1 from '../../../protocols/acp/v1/messages.ts';
import type * as v2 from '../../../protocols/acp/v2/messages.ts';

/** Undefined for an update that version 2 does not have. */
export function translatedUpdate(update: v1.SessionUpdate): object | undefined {
  if (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update')
    return { sessionUpdate: 'tool_call_update', ...toolCall(update) } satisfies v2.SessionUpdate;
  if (update.sessionUpdate === 'available_commands_update')
    return {
      sessionUpdate: 'available_commands_update',
      availableCommands: update.availableCommands.map(command),
    } satisfies v2.SessionUpdate;
  if (update.sessionUpdate === 'config_option_update')
    return {
      sessionUpdate: 'config_option_update',
      configOptions: update.configOptions.map(configOption),
    } satisfies v2.SessionUpdate;
  return unchanged.has(update.sessionUpdate) ? update : undefined;
}

/** Updates that both versions have in the same form. */
const unchanged: ReadonlySet<v1.SessionUpdate['sessionUpdate']> = new Set([
  'agent_message_chunk',
  'agent_thought_chunk',
  'compaction_update',
  'notice',
  'session_info_update',
  'usage_update',
  'user_message_chunk',
]);

export function permissionRequest({
  sessionId,
  toolCall: call,
  options,
}: v1.PermissionRequest): v2.PermissionRequest {
  const subject = { type: 'tool_call', toolCall: toolCall(call) } as const;
  return { sessionId, title: call.title ?? 'Permission', subject, options };
}

export function configOption(option: v1.ConfigOption): v2.ConfigOption {
  const { id: configId, name, description, category } = option;
  const described = {
    configId,
    name,
    ...(description == null ? {} : { description }),
    ...(category == null ? {} : { category }),
  };
  if (option.type === 'boolean') return { type: 'boolean', ...described, currentValue: option.currentValue };
  return {
    type: 'select',
    ...described,
    currentValue: option.currentValue,
    options: choices(option.options),
  };
}

export function command({
  name,
  description,
  input,
}: {
  readonly name: string;
  readonly description: string;
  readonly input?: { readonly hint: string } | null | undefined;
}): v2.AvailableCommand {
  return {
    type: 'command',
    name,
    description,
    ...(input == null ? {} : { input: { type: 'text', hint: input.hint } }),
  };
}

/** A file before and after a change; null if it was not there. */
export function fileDiff(
  path: string,
  before: string | null,
  after: string | null,
): Extract<v2.ToolCallContent, { readonly type: 'diff' }> {
  const change = after === null ? 'delete' : 'modify';
  return {
    type: 'diff',
    changes: [{ operation: before === null ? 'add' : change, path, fileType: 'text' }],
    patch: { format: 'git_patch', text: gitPatch(path, before, after) },
  };
}

function gitPatch(path: string, before: string | null, after: string | null): string {
  const name = path.replace(/^\/+/, '');
  return [
    `diff --git a/${name} b/${name}`,
    ...(before === null ? ['new file mode 100644'] : []),
    ...(after === null ? ['deleted file mode 100644'] : []),
    `--- ${before === null ? '/dev/null' : `a/${name}`}`,
    `+++ ${after === null ? '/dev/null' : `b/${name}`}`,
    diffTexts(before, after).diff,
    '',
  ].join('\n');
}

function toolCall({ content, ...call }: v1.PermissionRequest['toolCall']): v2.ToolCallUpdate {
  const { toolCallId, name, title, kind, status, locations, rawInput, rawOutput } = call;
  return {
    toolCallId,
    ...(name == null ? {} : { name }),
    ...(title == null ? {} : { title }),
    ...(kind == null ? {} : { kind }),
    ...(status == null ? {} : { status }),
    ...(content == null ? {} : { content: content.flatMap(toolContent) }),
    ...(locations == null ? {} : { locations }),
    ...(rawInput === undefined ? {} : { rawInput }),
    ...(rawOutput === undefined ? {} : { rawOutput }),
  };
}

/** The host has no terminals of the client in version 2. */
function toolContent(content: v1.ToolCallContent): readonly v2.ToolCallContent[] {
  if (content.type === 'content') return [{ type: 'content', content: content.content }];
  return content.type === 'diff' ? [fileDiff(content.path, content.oldText ?? null, content.newText)] : [];
}

type Choices = Extract<v1.ConfigOption, { readonly type: 'select' }>['options'];

function choices(options: Choices): readonly v1.SelectOption[] | readonly v2.OptionGroup[] {
  return isGrouped(options) ? options.map(({ group, ...rest }) => ({ groupId: group, ...rest })) : options;
}

type Grouped = Extract<Choices[number], { readonly group: string }>;

function isGrouped(options: Choices): options is readonly Grouped[] & Choices {
  return options.some((option) => 'group' in option);
}
