// A form that a server wants a human to fill in, as questions of ours, and the answer as the
// server expects it. Pure.
import type {
  ElicitRequestFormParams,
  ElicitResult,
  PrimitiveSchemaDefinition,
} from '@modelcontextprotocol/client';
import type { Answer, Choice, Json, Question } from '../../../model/event.ts';

type Values = NonNullable<ElicitResult['content']>;

export function questionsOf({
  requestedSchema: { properties, required },
}: ElicitRequestFormParams): readonly Question[] {
  return Object.entries(properties).map(([id, field]) => ({
    id,
    message: [field.title ?? id, field.description].filter(Boolean).join(': '),
    required: required?.includes(id) ?? false,
    answer: answerOf(field),
    ...(field.title === undefined ? {} : { title: field.title }),
  }));
}

export function elicitResult(
  { requestedSchema: { properties } }: ElicitRequestFormParams,
  answer: Answer,
): ElicitResult {
  if (answer.kind === 'declined') return { action: 'decline' };
  if (answer.kind !== 'fields') return { action: 'cancel' };
  const content: Values = Object.fromEntries(
    Object.entries(properties).flatMap(([id, field]) => {
      const value = valueOf(field, answer.values[id]);
      return value === undefined ? [] : [[id, value]];
    }),
  );
  return { action: 'accept', content };
}

/** A page was visited, or was not. */
export function visitResult({ kind }: Answer): ElicitResult {
  if (kind === 'fields') return { action: 'accept' };
  return { action: kind === 'declined' ? 'decline' : 'cancel' };
}

function answerOf(field: PrimitiveSchemaDefinition): Question['answer'] {
  if (field.type === 'array')
    return {
      type: 'many',
      choices: 'enum' in field.items ? field.items.enum.map(plain) : field.items.anyOf.map(titled),
    };
  if (field.type !== 'string') return { type: field.type };
  if ('oneOf' in field) return { type: 'one', choices: field.oneOf.map(titled) };
  return 'enum' in field ? { type: 'one', choices: field.enum.map(plain) } : { type: 'text' };
}

function plain(id: string): Choice {
  return { id, label: id };
}

function titled({ const: id, title }: { readonly const: string; readonly title: string }): Choice {
  return { id, label: title || id };
}

/** Some clients can only send words; what was wanted is made of them where that is possible. */
function valueOf(field: PrimitiveSchemaDefinition, value: Json | undefined): Values[string] | undefined {
  if (value === undefined || value === null) return undefined;
  if (field.type === 'array') return (isList(value) ? value : [value]).map(word);
  if (field.type === 'boolean')
    return typeof value === 'boolean' ? value : /^(?:true|yes|1)$/i.test(word(value));
  if (field.type === 'string') return word(value);
  const number = Number(value);
  return word(value).trim() !== '' && Number.isFinite(number) ? number : undefined;
}

function word(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
