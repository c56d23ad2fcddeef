// Translates the active clients of a session between the model and AHP.
import type { Json } from '../../model/event.ts';
import type { LentPlugin, LentTool, SessionClient } from '../../model/sessionClient.ts';
import { present } from '../../base/present.ts';
import type { SessionActiveClient } from '../../protocols/ahp/v1_0/state.ts';
import type { ToolDefinition } from '../../protocols/ahp/v1_0/toolCall.ts';
import { json, jsonRecord } from './outbound/wireJson.ts';
import type { JsonRecord } from './outbound/wireJson.ts';

export function fromActiveClient({
  clientId,
  displayName,
  tools,
  customizations,
}: SessionActiveClient): SessionClient {
  return present({
    id: clientId,
    name: displayName,
    tools: tools.map(fromTool),
    plugins: customizations?.map(fromPlugin),
  });
}

export function toActiveClient({ id, name, tools, plugins }: SessionClient): SessionActiveClient {
  return present({
    clientId: id,
    displayName: name,
    tools: tools.map(toTool),
    customizations: plugins?.map(toPlugin),
  });
}

function recordIn(value: Json | undefined): JsonRecord | undefined {
  return value === undefined ? undefined : jsonRecord(value);
}

type Plugin = NonNullable<SessionActiveClient['customizations']>[number];

function fromTool({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
  _meta,
}: ToolDefinition): LentTool {
  return present({
    name,
    title,
    description,
    input: json(inputSchema),
    output: json(outputSchema),
    hints: json(annotations),
    extensions: _meta && jsonRecord(json(_meta)),
  });
}

function toTool({ name, title, description, input, output, hints, extensions }: LentTool): ToolDefinition {
  return present({
    name,
    title,
    description,
    inputSchema: recordIn(input),
    outputSchema: recordIn(output),
    annotations: recordIn(hints),
    _meta: recordIn(extensions),
  });
}

function fromPlugin({ type: _, id, uri, name, nonce, ...rest }: Plugin): LentPlugin {
  return present({
    id,
    uri,
    name,
    revision: nonce,
    extensions: Object.keys(rest).length > 0 ? jsonRecord(json(rest)) : undefined,
  });
}

function toPlugin({ id, uri, name, revision, extensions }: LentPlugin): Plugin {
  return present({ ...extensions, type: 'plugin' as const, id, uri, name, nonce: revision });
}
