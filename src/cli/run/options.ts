// Reads the arguments of `parley run`, and the prompt from them or from standard input.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import type { RunWishes } from '../../app/run/runDoor.ts';
import { present } from '../../base/present.ts';
import { parseRule } from '../../host/policy/ruleText.ts';
import { isAutonomy } from '../../host/settings/autonomy.ts';
import type { Autonomy } from '../../model/event.ts';
import { readArgs, UsageError } from '../say.ts';
import { didYouMean } from '../../base/nearest.ts';
import { outputs } from './outputs.ts';
import type { OutputName } from './outputs.ts';

export interface RunArguments {
  readonly wishes: RunWishes;
  readonly output: OutputName;
  readonly standalone: boolean;
}

const options = {
  agent: { type: 'string' },
  model: { type: 'string' },
  mode: { type: 'string' },
  auto: { type: 'boolean' },
  full: { type: 'boolean' },
  effort: { type: 'string' },
  continue: { type: 'boolean' },
  session: { type: 'string' },
  cwd: { type: 'string' },
  timeout: { type: 'string' },
  'max-cost': { type: 'string' },
  output: { type: 'string' },
  json: { type: 'boolean' },
  allow: { type: 'string', multiple: true },
  standalone: { type: 'boolean', default: false },
} as const;

export async function readWishes(args: readonly string[]): Promise<RunArguments> {
  const { values, positionals } = readArgs(args, options);
  if (values.session !== undefined && (values.continue || values.cwd !== undefined))
    throw new UsageError('--session names a session with its folder; leave out --continue and --cwd.');
  if (values.json && values.output !== undefined)
    throw new UsageError('--json is short for --output stream-json; use one of them.');
  const limits = present({
    timeout: values.timeout === undefined ? undefined : milliseconds(values.timeout),
    maxCost: values['max-cost'] === undefined ? undefined : dollars(values['max-cost']),
  });
  const output = outputNamed(values.json ? 'stream-json' : (values.output ?? 'text'));
  const roots = [folder(values.cwd)];
  const allow = (values.allow ?? []).map(rule);
  const { agent, model, effort, session, standalone } = values;
  const { mode, autonomy } = modesOf(values);
  return {
    output,
    standalone,
    wishes: {
      prompt: await readPrompt(positionals),
      roots,
      allow,
      ...limits,
      ...present({ agent, model, mode, autonomy, effort, session }),
      ...(values.continue ? { newest: true as const } : {}),
    },
  };
}

/** The JSON that wrong arguments wish for; undefined if they wish for text. */
export function wishedJson(args: readonly string[]): OutputName | undefined {
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  const named = own.flatMap((word, at) =>
    word.startsWith('--output=') || own[at - 1] === '--output' ? [word.replace('--output=', '')] : [],
  );
  return [...(own.includes('--json') ? ['stream-json'] : []), ...named]
    .filter(isOutput)
    .find((name) => name !== 'text');
}

/** A permission mode, or a mode of the agent. `plan` is a permission mode. */
function modesOf({ mode, auto, full }: { mode?: string; auto?: boolean; full?: boolean }): {
  readonly mode: string | undefined;
  readonly autonomy: Autonomy | undefined;
} {
  const chosen = [auto ? 'auto' : undefined, full ? 'full' : undefined, mode].filter(
    (each) => each !== undefined,
  );
  const levels = chosen.filter(isAutonomy);
  if (levels.length > 1) throw new UsageError(`Use one permission mode, not ${levels.join(' and ')}.`);
  return { mode: isAutonomy(mode) ? undefined : mode, autonomy: levels[0] };
}

/** Standard input is read only if it is asked for, because a pipe that nobody closes would never end. */
async function readPrompt(words: readonly string[]): Promise<string> {
  const wantsInput = words.includes('-') || (words.length === 0 && !process.stdin.isTTY);
  const typed = words.filter((word) => word !== '-').join(' ');
  const read = wantsInput ? await readAll(process.stdin) : '';
  const prompt = [typed, read].filter((part) => part.trim() !== '').join('\n\n');
  if (prompt === '')
    throw new UsageError('Missing prompt. Usage: parley run "Explain this folder" (or - for standard input)');
  return prompt;
}

function outputNamed(name: string): OutputName {
  const names = Object.keys(outputs);
  if (isOutput(name)) return name;
  throw new UsageError(
    `Unknown output "${name}".${didYouMean(name, names)} Use one of: ${names.join(', ')}.`,
  );
}

function isOutput(name: string): name is OutputName {
  return Object.hasOwn(outputs, name);
}

function folder(given: string | undefined): string {
  if (given === undefined) return process.cwd();
  if (given === '') throw new UsageError('--cwd needs a folder.');
  const path = resolve(given);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${path} is not a folder.`);
  return path;
}

const units: { readonly [unit: string]: number | undefined } = { '': 1, s: 1, m: 60, h: 3_600 };

/** The host's timer takes no more. */
const longest = 2_147_483_647;

function milliseconds(text: string): number {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)([smh]?)$/.exec(text) ?? [];
  const time = Number(amount) * (units[unit] ?? Number.NaN) * 1_000;
  if (time > 0 && time <= longest) return time;
  throw new UsageError(`Invalid time "${text}". Write --timeout 90s, 10m or 1h (up to 24 days).`);
}

function dollars(text: string): number {
  const amount = Number(text);
  if (/^\d*\.?\d+$/.test(text) && amount > 0) return amount;
  throw new UsageError(`Invalid cost "${text}". Write US dollars, such as --max-cost 0.50`);
}

function rule(text: string): RunWishes['allow'][number] {
  const parsed = parseRule(text);
  if (!parsed)
    throw new UsageError(`Invalid rule "${text}". Examples: write_file, write_file(src/**), "$ npm test"`);
  const { tool, command, paths } = parsed;
  return {
    tool,
    ...(command ? { command: [...command] } : {}),
    ...(paths ? { paths: [...paths] } : {}),
  };
}
