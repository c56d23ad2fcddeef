// Asks on the terminal for a model provider, by its number or its name.
import { builtInProviders } from '../../agents/native/models/providers/providers.ts';
import { printError } from '../output.ts';
import { askLine, StoppedError } from '../say.ts';

/** What is in no list is returned as it was typed. */
export async function chooseProvider(): Promise<string> {
  if (!process.stdin.isTTY) throw new Error('No terminal to ask on. Use parley login PROVIDER --key-stdin.');
  const choices = builtInProviders.filter(({ key }) => key !== 'none');
  printError(`${choices.map(({ name }, i) => `${String(i + 1).padStart(3)}  ${name}`).join('\n')}\n`);
  const answer = await askLine('Sign in with which provider? ');
  if (answer === undefined || answer.trim() === '') throw new StoppedError('Nothing was saved.');
  const chosen =
    choices[Number(answer) - 1] ??
    choices.find(({ id, name }) => [id, name.toLowerCase()].includes(answer.toLowerCase()));
  return chosen?.id ?? answer.trim();
}
