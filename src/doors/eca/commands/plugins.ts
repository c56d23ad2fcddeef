// Commands about plugins: which there are, and which of them are to be used.
import type { CommandCall, CommandEffect } from './run.ts';

export async function plugins({ connection }: CommandCall): Promise<CommandEffect> {
  const found = await connection.options.plugins?.list();
  if (!found) return none;
  if ('refused' in found) return { say: found.refused };
  if (found.length === 0)
    return {
      say: 'No collection of plugins has any. Collections are named under plugins in the ECA configuration, with a source each: a folder, or the address of a git repository.',
    };
  return {
    say: `Plugins, those in use marked; /plugin-install NAME uses one:\n${found.map(({ ref, description, installed }) => `${installed ? '*' : '-'} ${ref}${description === '' ? '' : `: ${description}`}`).join('\n')}`,
  };
}

export const pluginInstall = change('install', 'is in use from now on');
export const pluginUninstall = change('uninstall', 'is not used any more');

const none: CommandEffect = { say: 'This host has no plugins.' };

function change(how: 'install' | 'uninstall', said: string): (call: CommandCall) => Promise<CommandEffect> {
  return async ({ connection, args: [wanted] }) => {
    if (!connection.options.plugins) return none;
    if (wanted === undefined) return { say: `Say which plugin: /plugin-${how} NAME` };
    const done = await connection.options.plugins[how](wanted);
    return { say: 'refused' in done ? done.refused : `The plugin ${done.ref} ${said}.` };
  };
}
