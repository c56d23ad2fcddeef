// The tool that runs a command line.
import { defineTool } from '../define.ts';
import { commandTitle, inBackground, runCommand } from './runCommand.ts';
import { realPath, shownPath } from '../tool.ts';

const longestTimeout = 600_000;

export const shellCommand = defineTool({
  name: 'shell_command',
  description:
    'Runs a command line in a shell and gives its exit code and output. It has no input to read, and ' +
    'what it leaves in the background ends with it; set background for servers and other long work.',
  kind: 'execute',
  preparing: 'Preparing shell command',
  parameters: {
    command: { type: 'string', description: 'The command line to run.' },
    working_directory: {
      type: 'string',
      description: 'Where to run it. Default: the first workspace folder.',
      optional: true,
    },
    timeout: {
      type: 'integer',
      description:
        'After how many milliseconds to stop it. Default: as the user has set it, usually 60000; at most ' +
        `${longestTimeout}.`,
      optional: true,
    },
    background: {
      type: 'string',
      description:
        'Runs it as a background job that outlives this call; says in a few words what it is for. Use ' +
        'bg_job to read its output or to end it.',
      optional: true,
    },
    interactive: {
      type: 'boolean',
      description:
        'With background: keeps its standard input open, so that the user can type into it and end it. ' +
        'Only for programs that ask something: others, such as rg and sort, wait for the end of it.',
      optional: true,
    },
    outside_sandbox: {
      type: 'string',
      description:
        'Only if the command failed because it ran in a sandbox and needs more: why it must run outside, ' +
        'in a few words. The user is asked each time.',
      optional: true,
    },
  },
  async prepare(input, context) {
    const { command, working_directory, timeout, background, interactive, outside_sandbox: outside } = input;
    const cwd = await realPath(working_directory ?? '.', context);
    if ((await context.files.stat(cwd))?.type !== 'directory')
      return { refused: `${cwd} is not a directory.` };
    if (command.trim() === '' || command.includes('\0'))
      return { refused: 'INVALID_ARGS: command is empty or holds a null character.' };
    if (interactive && background === undefined)
      return { refused: 'INVALID_ARGS: interactive needs background.' };
    const limit =
      timeout && timeout > 0 ? Math.min(timeout, longestTimeout) : context.settings.commandTimeout;
    const isOutside = outside !== undefined && outside.trim() !== '';
    const isElsewhere = cwd !== (await realPath('.', context));
    return {
      title: commandTitle(command, context),
      ...(isElsewhere && { question: `$ ${command} (in ${await shownPath(cwd, context)})` }),
      paths: [cwd],
      locations: [{ path: cwd }],
      command,
      runs: isOutside ? { outside } : {},
      async run(output, surroundings) {
        return background === undefined
          ? runCommand({ command, cwd, timeout: limit, surroundings, outside: isOutside }, context, output)
          : inBackground({ command, cwd, label: background, interactive, surroundings }, context, output);
      },
    };
  },
});
