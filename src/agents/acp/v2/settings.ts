// The options and commands of a session in version 2, in the words of version 1. Pure.
import { isRecord } from '../../../base/isRecord.ts';

/** An answer or an update with the options and commands in it; the readers of version 1 check the rest. */
export function inVersion1(said: { readonly [key: string]: unknown }): { readonly [key: string]: unknown } {
  const { configOptions, availableCommands } = said;
  return {
    ...said,
    ...(Array.isArray(configOptions) ? { configOptions: configOptions.map(configOption) } : {}),
    ...(Array.isArray(availableCommands) ? { availableCommands: availableCommands.filter(isCommand) } : {}),
  };
}

function configOption(option: unknown): unknown {
  return isRecord(option) ? { ...option, id: option['configId'] } : option;
}

function isCommand(command: unknown): boolean {
  return isRecord(command) && command['type'] === 'command';
}

/** Programs have a type of their own in version 2. */
export function mcpServer(server: unknown): unknown {
  return isRecord(server) && server['type'] === undefined ? { type: 'stdio', ...server } : server;
}
