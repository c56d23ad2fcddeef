// One spelling for the keys of a configuration that came with a request: clients written in Lisp send
// `mcp-servers` where others send `mcpServers`. Pure.
import type { EcaConfig } from './file.ts';

/**
 * Keys that are names of the user's own stay as they are. Servers of tools, hooks and providers are the
 * exception: this is how clients have always got their names back.
 */
export function foldConfig(config: EcaConfig): EcaConfig {
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [camel(key), foldIn(value, [camel(key)])]),
  );
}

/** Below these stand names, and then members again; `*` is any name. */
const named: readonly string[] = [
  'providers',
  'providers.*.models',
  'agent',
  'behavior',
  'customTools',
  'plugins',
  'variantsByModel',
  'toolCall.approval.allow',
  'toolCall.approval.ask',
  'toolCall.approval.deny',
  'prompts.tools',
  'agent.*.toolCall.approval.allow',
  'agent.*.toolCall.approval.ask',
  'agent.*.toolCall.approval.deny',
];

/** Everything below these is data. */
const data: ReadonlySet<string> = new Set([
  'extraPayload',
  'extraHeaders',
  'headers',
  'env',
  'variants',
  'argsMatchers',
  'schema',
  'matcher',
]);

function foldIn(value: unknown, path: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((inner: unknown) => foldIn(inner, path));
  if (typeof value !== 'object' || value === null || data.has(path.at(-1) ?? '')) return value;
  const keepsKeys = named.some((pattern) => fits(pattern.split('.'), path));
  const nameOf = (key: string) => {
    if (path.join('.') === 'providers') return kebab(key);
    return keepsKeys ? key : camel(key);
  };
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]: [string, unknown]) => {
      const name = nameOf(key);
      return [name, foldIn(inner, [...path, name])];
    }),
  );
}

function fits(pattern: readonly string[], path: readonly string[]): boolean {
  return pattern.length === path.length && pattern.every((part, at) => part === '*' || part === path[at]);
}

function camel(key: string): string {
  return /^[a-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)+$/.test(key)
    ? key.replaceAll(/[-_]+([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    : key;
}

function kebab(name: string): string {
  return /^[a-z][A-Za-z0-9]*$/.test(name)
    ? name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    : name;
}
