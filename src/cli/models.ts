// Which language models there are: the built-in demo, and a scripted one where tests ask for it.
import { readFileSync } from 'node:fs';
import { sleepOn } from '../agents/native/sleep.ts';
import type { LanguageModel } from '../agents/native/model.ts';
import { demoModel } from '../agents/native/models/demo.ts';
import { scriptedModel } from '../agents/native/models/scripted.ts';
import { parseScript } from '../agents/native/models/script.ts';
import type { Clock } from '../host/ports.ts';

export function models(env: NodeJS.ProcessEnv, clock: Clock): readonly LanguageModel[] {
  const sleep = sleepOn(clock);
  const script = env['PARLEY_SCRIPT'];
  const parsed = script === undefined ? { rules: [] } : parseScript(readFileSync(script, 'utf8'));
  if ('problem' in parsed) throw new Error(`the script ${script} cannot be used: ${parsed.problem}`);
  const scripted = script !== undefined || env['PARLEY_SCRIPTED'] === '1' ? [scriptedModel({ ...parsed, sleep })] : [];
  return [...scripted, demoModel({ sleep })];
}
