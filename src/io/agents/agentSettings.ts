// Adds and removes external agents in the user's settings file. Everything else in it stays as it is.
import { existsSync } from 'node:fs';
import type { AgentSettings } from '../../host/settings/settings.ts';
import { privateFile } from '../files/privateFiles.ts';
import { readConfig, valueAt, withValue, writeConfig } from '../settings/editConfigFile.ts';

/** Adds an agent, or replaces the one with its id. */
export function storeAgent(file: string, id: string, agent: AgentSettings): void {
  write(file, withValue(readConfig(file), ['agents', id], { value: agent, file }));
}

/** False if the file has no agent with this id. */
export function removeAgent(file: string, id: string): boolean {
  const text = readConfig(file);
  if (valueAt(text, ['agents', id], file) === undefined) return false;
  write(file, withValue(text, ['agents', id], { value: undefined, file }));
  return true;
}

/** The variables of an agent may be secrets. */
function write(file: string, text: string): void {
  if (existsSync(file)) privateFile(file);
  writeConfig(file, text, 'nothing');
}
