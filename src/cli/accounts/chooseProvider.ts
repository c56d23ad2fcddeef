// Asks on the terminal which model provider is meant, by its number or its name.
import { createInterface } from 'node:readline/promises';
import { providers } from '../../agents/native/models/providers/providers.ts';
import { printError } from '../output.ts';

export async function chooseProvider(): Promise<string> {
  if (!process.stdin.isTTY)
    throw new Error('there is no terminal to ask on; use "parley login PROVIDER --key-stdin".');
  const offered = providers.filter(({ key }) => key !== 'none');
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    printError(`${offered.map(({ name }, i) => `${String(i + 1).padStart(3)}  ${name}`).join('\n')}\n`);
    const answer = (await asking.question('Sign in with which provider? ')).trim();
    const chosen =
      offered[Number(answer) - 1] ??
      offered.find(({ id, name }) => [id, name.toLowerCase()].includes(answer.toLowerCase()));
    if (!chosen) throw new Error(`"${answer}" is none of them; nothing is stored.`);
    return chosen.id;
  } finally {
    asking.close();
  }
}
