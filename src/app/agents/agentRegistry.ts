// Reads an agent from a file in the format of the public ACP registry.
import { readFileSync } from 'node:fs';
import { settingOf } from '../../agents/acp/registry.ts';
import { errorText } from '../../base/errorText.ts';
import type { AgentSettings } from '../../host/settings/settings.ts';
import { readRegistry } from '../../protocols/acp/registrySchema.ts';

export function agentFromRegistry(file: string, id: string): AgentSettings {
  const entries = readRegistry(readJson(file));
  if (!entries) throw new Error(`${file} is not an agent registry.`);
  const entry = entries.find((candidate) => candidate.id === id);
  if (!entry)
    throw new Error(
      `${file} has no agent "${id}". It has: ${entries.map((candidate) => candidate.id).join(', ')}.`,
    );
  const setting = settingOf(entry, registryPlatform());
  if ('problem' in setting) throw new Error(setting.problem);
  const { id: _, ...rest } = setting;
  return rest;
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`Cannot read ${file}: ${errorText(error)}`, { cause: error });
  }
}

const systems: { readonly [platform: string]: string | undefined } = { win32: 'windows' };
const processors: { readonly [arch: string]: string | undefined } = { arm64: 'aarch64', x64: 'x86_64' };

/** This machine in the registry's words. */
function registryPlatform(): string {
  const { platform, arch } = process;
  return `${systems[platform] ?? platform}-${processors[arch] ?? arch}`;
}
