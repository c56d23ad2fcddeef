// The arguments of a call, as the user edits them before it runs.
import { isJson } from '../../../base/isJson.ts';

/** Arguments that are an object are edited line by line. */
export function shownInput(input: string): string {
  return isObject(input) ? JSON.stringify(JSON.parse(input), null, 2) : input;
}

/** Why the edited arguments cannot be sent. */
export function inputProblem(original: string, edited: string): string | undefined {
  return isObject(original) && !isJson(edited) ? 'This is not valid JSON. Nothing was run.' : undefined;
}

function isObject(text: string): boolean {
  return text.trimStart().startsWith('{') && isJson(text);
}
