// The tool that asks the user a question and waits for the answer.
import type { Answer, Choice, Json, Question, ToolResult } from '../../../../model/event.ts';
import { field, listIn, textField } from '../json.ts';
import { doneResult, failed } from '../tool.ts';
import type { Tool } from '../tool.ts';

const kinds = ['text', 'number', 'integer', 'boolean'] as const;

const parameters: Json = {
  type: 'object',
  properties: {
    question: { type: 'string', description: 'The question, as the user should read it.' },
    options: {
      type: 'array',
      description: 'Answers to choose from; leave it out for a free answer.',
      items: {
        type: 'object',
        properties: { label: { type: 'string' }, description: { type: 'string' } },
        required: ['label'],
      },
    },
    allowFreeform: {
      type: 'boolean',
      description: 'Whether the user may answer in own words instead of choosing. Default: true.',
    },
    multiple: { type: 'boolean', description: 'Whether several options may be chosen. Default: false.' },
    kind: { type: 'string', enum: kinds, description: 'What a free answer must be. Default: text.' },
  },
  required: ['question'],
};

export const askUser: Tool = {
  name: 'ask_user',
  description:
    'Asks the user a question and waits for the answer. Use it where you cannot find out by yourself ' +
    'and a wrong guess would cost more than the interruption.',
  kind: 'think',
  preparing: 'Preparing question',
  parameters,
  prepare(input, { user }) {
    const message = textField(input, 'question');
    if (message === undefined || !user)
      return Promise.resolve({
        refused: user
          ? 'INVALID_ARGS: missing or of the wrong type: question (string)'
          : 'Nobody can be asked here.',
      });
    const question = questionOf(message, input);
    return Promise.resolve({
      title: `Q: ${message}`,
      paths: [],
      run: async () => resultOf(await user.ask(message, [question]), question),
    });
  },
};

function questionOf(message: string, input: Json): Question {
  const choices = (listIn(input, 'options') ?? []).flatMap(choiceOf);
  const free = kinds.find((kind) => kind === textField(input, 'kind')) ?? 'text';
  const base = { id: 'answer', message, required: true } as const;
  if (choices.length === 0) return { ...base, answer: { type: free } };
  return {
    ...base,
    answer: {
      type: field(input, 'multiple') === true ? 'many' : 'one',
      choices,
      freeform: field(input, 'allowFreeform') !== false,
    },
  };
}

function choiceOf(option: Json, at: number, all: readonly Json[]): readonly Choice[] {
  const label = labelOf(option);
  if (label === undefined || all.slice(0, at).some((other) => labelOf(other) === label)) return [];
  const description = textField(option, 'description');
  return [{ id: label, label, ...(description === undefined ? {} : { description }) }];
}

function labelOf(option: Json): string | undefined {
  return typeof option === 'string' ? option.trim() || undefined : textField(option, 'label');
}

function resultOf(answer: Answer, { id }: Question): ToolResult {
  const value = answer.kind === 'fields' ? answer.values[id] : undefined;
  if (value === undefined || value === null) return failed('User cancelled the question.');
  return doneResult(`User answered: ${valueText(value)}`);
}

function valueText(value: NonNullable<Json>): string {
  if (Array.isArray(value)) return value.map(String).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
