// The tools that users define as command lines in their settings. Every argument becomes one
// quoted word of the line.
import { isRecord } from '../../../../base/isRecord.ts';
import { isInterpreter, isWrapper } from '../../../../host/policy/knownPrograms.ts';
import type { CustomToolSettings } from '../../../../host/settings/settings.ts';
import type { Json } from '../../../../model/event.ts';
import { runCommand } from './runCommand.ts';
import { failed, realPath } from '../tool.ts';
import type { ToolRefusal, Tool } from '../tool.ts';

/** The settings are those in effect: settings of untrusted folders are not among them. */
export function customTools(
  settings: { readonly [name: string]: CustomToolSettings },
  timeout: number,
  inEffect: () => { readonly [name: string]: CustomToolSettings } = () => settings,
): readonly Tool[] {
  return Object.entries(settings)
    .filter(([name]) => validName.test(name))
    .map(([name, custom]) => {
      const isInEffect = () => JSON.stringify(inEffect()[name]) === JSON.stringify(custom);
      return customTool(name, custom, { timeout, isInEffect });
    });
}

interface CustomToolOptions {
  readonly timeout: number;
  /** Trust in a folder ends when a script of it changes, also while a call waits for approval. */
  readonly isInEffect: () => boolean;
}

/** The tool names that every provider accepts. */
const validName = /^[\w-]{1,64}$/;

function customTool(
  name: string,
  { description, command: template, schema }: CustomToolSettings,
  { timeout, isInEffect }: CustomToolOptions,
): Tool {
  const required = schema.required ?? [];
  return {
    name,
    description,
    kind: 'execute',
    preparing: `Preparing ${name}`,
    parameters: { type: 'object', properties: schema.properties, required },
    async prepare(input, context) {
      const given = new Map(isRecord(input) ? Object.entries(input) : []);
      const missing = required.filter((argument) => (given.get(argument) ?? '') === '');
      if (missing.length > 0) return { refused: `INVALID_ARGS: missing: ${missing.join(', ')}` };
      const command = filled(template, given);
      if (typeof command !== 'string') return command;
      if (command.includes('\0')) return { refused: 'INVALID_ARGS: an argument holds a null character.' };
      const cwd = await realPath('.', context);
      const written = isWordOnly(template, [...given.values()]) ? ({ written: true } as const) : {};
      return {
        title: `$ ${name}`,
        paths: [cwd],
        locations: [{ path: cwd }],
        command,
        runs: written,
        run: (output, surroundings) =>
          isInEffect()
            ? runCommand({ command, cwd, timeout, surroundings }, context, output)
            : Promise.resolve(failed(`${name} or its script has changed and is not trusted any more.`)),
      };
    },
  };
}

/**
 * Whether the arguments can only be words. A program that interprets its arguments as code or as options
 * could do more with them; such a line is judged like any other, and not as one that the user wrote.
 */
function isWordOnly(template: string, values: readonly Json[]): boolean {
  const texts = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  const names = template.split(/[\s;&|()'"]+/).filter((name) => /^[^-=]+$/.test(name));
  // A slash ends a pattern of sed.
  const plain = names.includes('sed') ? /^[\w.@:+,%]*$/ : /^(?:[\w./@:+,=%][\w./@:+,=%-]*)?$/;
  if (texts.every((text) => plain.test(text))) return true;
  return (
    !texts.some((text) => text.startsWith('-')) &&
    !names.some((name) => name === 'sed' || isWrapper(name) || isInterpreter(name))
  );
}

/**
 * Puts each argument in as one quoted word. Where the user has quotes of his own around a place they are
 * closed before it and opened again behind it. A line in which that would not hold takes no arguments at all.
 */
function filled(template: string, given: ReadonlyMap<string, Json>): string | ToolRefusal {
  const pieces = template.split(/\{\{\s*([\w-]+)\s*\}\}/);
  if (pieces.length === 1) return template;
  if (/`|\$\(|<<|\$'|\\\{\{|(?:^|[\s;&|])#/.test(template))
    return {
      refused:
        'The command of this tool has substitutions, here-documents or comments, so no argument can be ' +
        'put into it safely; its author must write it without them.',
    };
  let line = '';
  let quote: '' | '"' | "'" = '';
  for (const [at, piece] of pieces.entries()) {
    if (at % 2 === 1) line += `${quote}${word(given.get(piece))}${quote}`;
    else {
      line += piece;
      quote = quoteAfter(piece, quote);
    }
  }
  return line;
}

function quoteAfter(text: string, before: '' | '"' | "'"): '' | '"' | "'" {
  let quote = before;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '\\' && quote !== "'") at += 1;
    else if (quote === '' && (sign === '"' || sign === "'")) quote = sign;
    else if (sign === quote) quote = '';
  }
  return quote;
}

/** Between single quotes only the quote itself is special. */
function word(value: Json | undefined): string {
  return `'${argumentText(value).replaceAll("'", String.raw`'\''`)}'`;
}

function argumentText(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
