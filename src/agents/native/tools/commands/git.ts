// The tool that runs git and the GitHub CLI.
import { defineTool } from '../define.ts';
import { runCommand } from './runCommand.ts';
import { realPath } from '../tool.ts';

const operations = [
  'status',
  'diff',
  'log',
  'add',
  'commit',
  'push',
  'branch',
  'checkout',
  'merge',
  'rebase',
  'stash',
  'pr_create',
  'pr_view',
  'pr_comment',
  'gh',
];

/** The time limit in milliseconds; a push may be slow. */
const timeout = 120_000;

export const git = defineTool({
  name: 'git',
  description: `Runs a git or gh command line. Look at status, diff and log before you commit, stage only
what belongs together, and give messages of several lines as a quoted here-document (git commit -F -
<<'EOF'). Never use interactive flags, never change the configuration, and do not push unless the user asked
for it.`,
  kind: 'execute',
  preparing: 'Preparing git',
  parameters: {
    command: { type: 'string', description: 'The git or gh command line to run.' },
    operation: { type: 'string', options: operations, description: 'What it does.' },
    summary: { type: 'string', description: 'What is being done, in two or three words.', optional: true },
  },
  async prepare({ command, operation, summary }, context) {
    if (!/^\s*(?:git|gh)(?:\s|$)/.test(command) || command.includes('\0'))
      return {
        refused: 'INVALID_ARGS: command must begin with git or gh; use shell_command for anything else.',
      };
    const cwd = await realPath('.', context);
    return {
      title: `git ${operation}${summary === undefined ? '' : `: ${summary}`}`,
      paths: [cwd],
      locations: [{ path: cwd }],
      command,
      runs: {},
      run: (output, surroundings) =>
        runCommand(
          { command, cwd, surroundings, timeout: Math.max(timeout, context.settings.commandTimeout) },
          context,
          output,
        ),
    };
  },
});
