// Reads an agent out of a file in the format of the public registry.
import { readFileSync } from 'node:fs';
import { settingOf } from '../../agents/acp/registry.ts';
import type { AgentSettings } from '../../host/settings/settings.ts';
import { readRegistry } from '../../protocols/acp/registrySchema.ts';

export function fromRegistry(file: string, id: string): AgentSettings {
  const entries = readRegistry(parsed(file));
  if (!entries) throw new Error(`${file} is no registry of agents.`);
  const entry = entries.find((one) => one.id === id);
  if (!entry)
    throw new Error(`${file} has no agent ${id}; it has ${entries.map((one) => one.id).join(', ')}.`);
  const setting = settingOf(entry, platform());
  if ('problem' in setting) throw new Error(setting.problem);
  const { id: _, ...rest } = setting;
  return rest;
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file} cannot be read: ${error instanceof Error ? error.message : 'unknown cause'}`, {
      cause: error,
    });
  }
}

/** This machine as the registry names it. */
function platform(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  return `${system}-${process.arch === 'arm64' ? 'aarch64' : process.arch === 'x64' ? 'x86_64' : process.arch}`;
}
