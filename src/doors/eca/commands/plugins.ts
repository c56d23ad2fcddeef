// Commands that list, install and uninstall plugins.
import type { CommandCall, CommandEffect } from './run.ts';

export async function plugins({ connection }: CommandCall): Promise<CommandEffect> {
  const found = await connection.options.plugins?.list();
  if (!found) return none;
  if ('refused' in found) return { say: found.refused };
  if (found.length === 0)
    return {
      say: [
        'No plugins. Add a marketplace under `plugins` in the ECA configuration;',
        'its source is a folder or the address of a git repository.',
      ].join(' '),
    };
  const rows = found.map(
    ({ ref, description, installed }) =>
      `${installed ? '*' : '-'} ${ref}${description === '' ? '' : `: ${description}`}`,
  );
  return { say: `Plugins (* is installed; install one with /plugin-install NAME):\n${rows.join('\n')}` };
}

export const pluginInstall = change('install', 'installed');
export const pluginUninstall = change('uninstall', 'uninstalled');

const none: CommandEffect = { say: 'This host does not support plugins.' };

function change(how: 'install' | 'uninstall', result: string): (call: CommandCall) => Promise<CommandEffect> {
  return async ({ connection, args: [name] }) => {
    if (!connection.options.plugins) return none;
    if (name === undefined) return { say: `Missing plugin name: /plugin-${how} NAME` };
    const done = await connection.options.plugins[how](name);
    return { say: 'refused' in done ? done.refused : `Plugin ${done.ref} ${result}.` };
  };
}
