// Decodes a value as the wire type of that name and encodes it again. It finds the types by name
// and knows none itself.
import * as z from 'zod';
import { parse, text } from '../../../../src/protocols/ahp/shapes.ts';
import { clientActionSchemas } from '../../../../src/protocols/ahp/v1_0/schema/actions.ts';
import { chatTypes } from './schema/chat.ts';
import { contentTypes } from '../../../../src/protocols/ahp/v1_0/schema/content.ts';
import { envelopeTypes, hostActionSchemas } from './schema/hostActions.ts';
import {
  notificationSchemas,
  requestSchemas,
  requestTypes,
} from '../../../../src/protocols/ahp/v1_0/schema/requests.ts';
import { toolTypes } from '../../../../src/protocols/ahp/v1_0/schema/tools.ts';
import { wireTypes } from './schema/wire.ts';

export type RoundTrip = { readonly output: unknown } | { readonly problem: string };

/**
 * A well-formed value comes back as it was, unknown fields and explicit nulls included: decoding here is a
 * check of the plain data that the rest of the program works on, not a conversion that could lose something.
 */
export function roundTrip(typeName: string, input: unknown): RoundTrip {
  const schema = schemaOf(typeName);
  if (schema === undefined) return { problem: `no wire type is called ${typeName}` };
  const parsed = parse(schema, input);
  return parsed.ok ? { output: input } : { problem: parsed.problem };
}

const jsonRpc = { jsonrpc: z.literal('2.0') };
const id = z.union([z.string(), z.number()]);

/** Told apart by what they have: a method, a result or an error. */
const jsonRpcMessage = z.union([
  z.looseObject({ ...jsonRpc, method: text, id: id.optional() }),
  z.looseObject({ ...jsonRpc, id, result: z.unknown().refine((result) => result !== undefined) }),
  z.looseObject({ ...jsonRpc, id: id.nullable(), error: z.looseObject({ code: z.int(), message: text }) }),
]);

/** The member types of a union are checked as that union, and the words of an enumeration as text. */
const families: readonly (readonly [RegExp, z.ZodType])[] = [
  [/^(Agent|Skill|Prompt|Rule|Hook)Customization$/, toolTypes.childCustomization],
  [/Customization$/, toolTypes.customization],
  [/ResponsePart$/, chatTypes.responsePart],
  [/^ToolCall\w*State$/, chatTypes.toolCallState],
  [/^ToolCall\w*Contributor$/, chatTypes.toolCallContributor],
  [/^ToolResult\w*Content$/, toolTypes.toolResultContent],
  [/^ChatInput\w*Question$/, chatTypes.chatInputQuestion],
  [/^ChatInput\w*AnswerValue$/, contentTypes.chatInputAnswerValue],
  [/^ChatInput(Answered|Skipped)$/, contentTypes.chatInputAnswer],
  [/Attachment$/, contentTypes.messageAttachment],
  [/^Terminal\w*Part$/, wireTypes.terminalContentPart],
  [/^Terminal\w*Claim$/, wireTypes.terminalClaim],
  [/^Session\w*Request$/, wireTypes.sessionInputRequest],
  [/^McpServer\w*State$/, toolTypes.mcpServerState],
  [/ChatSource$/, requestTypes.chatSource],
  [/^Reconnect\w*Result$/, envelopeTypes.reconnectResult],
  [/^JsonRpc\w*$/, jsonRpcMessage],
  [/(Kind|Reason|Lifecycle|Interactivity|PolicyState|TurnState|ChangesetStatus|OperationStatus|Type)$/, text],
];

const schemasByName = new Map<string, z.ZodType>([
  ...named(
    { ...contentTypes, ...toolTypes, ...chatTypes, ...wireTypes, ...envelopeTypes, ...requestTypes },
    '',
  ),
  ...named({ ...requestSchemas, ...notificationSchemas }, 'Params'),
  ...named({ ...clientActionSchemas, ...hostActionSchemas }, 'Action'),
]);

function schemaOf(typeName: string): z.ZodType | undefined {
  return schemasByName.get(typeName) ?? families.find(([pattern]) => pattern.test(typeName))?.[1];
}

function named(schemas: Readonly<Record<string, z.ZodType>>, suffix: string): [string, z.ZodType][] {
  return Object.entries(schemas).map(([name, schema]) => [`${pascal(name)}${suffix}`, schema]);
}

/** `session/titleChanged` is SessionTitleChanged, `sessionSummary` is SessionSummary, and `uri` is URI. */
function pascal(name: string): string {
  if (name === 'uri') return 'URI';
  return name.replace(/(?:^|\/)(\w)/g, (_match, letter: string) => letter.toUpperCase());
}
