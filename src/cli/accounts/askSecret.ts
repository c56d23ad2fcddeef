// Asks for a secret on the terminal without echo.
import { printError } from '../output.ts';
import { StoppedError } from '../say.ts';

const enter = ['\r', '\n'];
const interrupt = '\u0003';
const endOfInput = '\u0004';
const erase = ['\u007f', '\b'];
const eraseAll = '\u0015';

export function askSecret(question: string): Promise<string> {
  const { stdin } = process;
  if (!stdin.isTTY)
    return Promise.reject(new Error('No terminal to ask on. Pipe the key in with --key-stdin.'));
  // Turn off the echo before the question appears, so that early typing is not shown either.
  stdin.setRawMode(true);
  printError(question);
  stdin.setEncoding('utf8');
  return new Promise((resolve, reject) => {
    let typed = '';
    const end = () => {
      stdin.setRawMode(false);
      stdin.off('data', read);
      stdin.pause();
      printError('\n');
    };
    const read = (chunk: string) => {
      for (const letter of chunk) {
        if (letter === interrupt || letter === endOfInput) {
          end();
          return reject(new StoppedError('Nothing was saved.'));
        }
        if (enter.includes(letter)) {
          end();
          return resolve(typed);
        }
        if (letter === eraseAll) typed = '';
        else if (erase.includes(letter)) typed = Array.from(typed).slice(0, -1).join('');
        else if (letter >= ' ') typed += letter;
      }
      return undefined;
    };
    stdin.on('data', read);
    // An earlier question may have paused the input.
    stdin.resume();
  });
}
