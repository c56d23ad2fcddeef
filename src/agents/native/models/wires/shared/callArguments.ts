// The arguments of a tool call as they are sent back to a provider.
import type { Json } from '../../../../../model/event.ts';
import { fields, isFields } from './jsonFields.ts';

/**
 * Vendors refuse a whole conversation if the arguments of one call are not an object. A model may have
 * written its object as a string; anything else becomes an empty object.
 */
export function callArguments(input: Json): object {
  const value = typeof input === 'string' ? parsed(input) : input;
  return isFields(value) && !Array.isArray(value) ? fields(value) : {};
}

export function argumentsText(input: Json): string {
  return JSON.stringify(callArguments(input));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
