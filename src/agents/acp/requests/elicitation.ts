// Converts an elicitation (form or link) into our question, and the answer into the agent's format. Pure.
import type { NewQuestion } from '../../../host/agent.ts';
import type { Answer, Choice, Json, Question } from '../../../model/event.ts';
import type { ElicitationField, ElicitationParams } from '../../../protocols/acp/v1/clientSchema.ts';
import type { ElicitationResponse } from '../../../protocols/acp/v1/messages.ts';

/** `name` is the agent's: people must see who asks. */
export function questionOf(
  params: ElicitationParams,
  { name, tool }: { readonly name: string; readonly tool?: string | undefined },
): NewQuestion {
  const message = `${name} asks: ${params.message}`;
  if (params.mode === 'url')
    return { kind: 'signin', message: `${message}\nThe link opens ${hostOf(params.url)}.`, url: params.url };
  const { properties, required } = params.requestedSchema;
  const questions = Object.entries(properties).map(([id, field]) =>
    fieldQuestion(id, field, required?.includes(id) ?? false),
  );
  return { kind: 'question', message, questions, ...(tool === undefined ? {} : { tool }) };
}

export function elicitationAnswer(params: ElicitationParams, answer: Answer): ElicitationResponse {
  if (answer.kind === 'declined') return { action: 'decline' };
  if (answer.kind !== 'fields') return { action: 'cancel' };
  if (params.mode === 'url') return { action: 'accept' };
  const given = Object.entries(params.requestedSchema.properties).flatMap(([id, field]): [string, Json][] => {
    const value = valueOf(field, answer.values[id]);
    return value === undefined ? [] : [[id, value]];
  });
  return { action: 'accept', content: Object.fromEntries(given) };
}

function fieldQuestion(id: string, field: ElicitationField, required: boolean): Question {
  const message = [field.title ?? id, field.description].filter(Boolean).join(': ');
  return {
    id,
    message,
    required,
    answer: answerOf(field),
    ...(field.title === undefined ? {} : { title: field.title }),
  };
}

function answerOf(field: ElicitationField): Question['answer'] {
  if (field.type === 'array')
    return { type: 'many', choices: choicesOf(field.items.anyOf, field.items.enum) };
  if (field.type !== 'string') return { type: field.type };
  const choices = choicesOf(field.oneOf, field.enum);
  return choices.length > 0 ? { type: 'one', choices } : { type: 'text' };
}

type Titled = readonly {
  readonly const: string;
  readonly title: string;
  readonly description?: string | undefined;
}[];

function choicesOf(titled: Titled | undefined, plain: readonly string[] | undefined): readonly Choice[] {
  if (titled)
    return titled.map(({ const: id, title, description }) => ({
      id,
      label: title || id,
      ...(description === undefined ? {} : { description }),
    }));
  return (plain ?? []).map((id) => ({ id, label: id }));
}

/** Some clients can only send text; it is converted to the requested type if possible. */
function valueOf(field: ElicitationField, value: Json | undefined): Json | undefined {
  if (value === undefined || value === null) return undefined;
  switch (field.type) {
    case 'string':
      return typeof value === 'string' ? value : JSON.stringify(value);
    case 'number':
    case 'integer':
      return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))
        ? Number(value)
        : value;
    case 'boolean':
      return typeof value === 'string' ? /^(true|yes|1)$/i.test(value) : value;
    case 'array':
      return isList(value) ? value : [value];
    default:
      return field satisfies never;
  }
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function hostOf(url: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\/(?:[^@/?#]*@)?([^/?#]*)/i.exec(url)?.[1] ?? url;
}
