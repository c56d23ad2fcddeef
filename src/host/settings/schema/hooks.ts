// The settings of hooks: commands of the user that run on events.
import * as z from 'zod';
import { count, expression, flag, name, optional, setting, word } from './values.ts';

const hookEvent = z.enum([
  'sessionStart',
  'sessionEnd',
  'chatStart',
  'chatEnd',
  'chatStatusChanged',
  'subagentStart',
  'preRequest',
  'postRequest',
  'subagentPostRequest',
  'preToolCall',
  'postToolCall',
  'preCompact',
  'postCompact',
]);

const matcher = z.union([expression, z.record(name, z.record(name, z.array(expression)))]);

const action = {
  command: optional(word, 'Command line to run.', 'npx prettier --check .'),
  timeout: optional(count, 'Timeout in milliseconds. Default: 30000.', 10_000),
};

const actions = z.array(
  z.strictObject({ ...action, file: optional(word, 'Program to run.', '~/hooks/check.sh') }),
);

export const hook = z
  .strictObject({
    on: setting(hookEvent, 'Event that runs the hook.', 'preToolCall'),
    matcher: optional(
      matcher,
      'Which tool calls run the hook: a regular expression for the whole tool name, such as ' +
        'shell_command or docs__.*, or tools with regular expressions for their arguments. For ' +
        'compaction: manual or auto.',
      'write_file|edit_file',
    ),
    ...action,
    actions: optional(actions, 'Several commands or programs, run in order.', [
      { command: 'npm run lint' },
      { file: '~/hooks/check.sh' },
    ]),
    visible: optional(flag, 'Whether clients show that the hook ran. Default: true.', false),
    sandbox: optional(
      z.enum(['auto', 'off']),
      'Whether it runs in the sandbox in sessions with the permission mode auto, or never. Default: auto.',
      'off',
    ),
    onlyDone: optional(
      flag,
      'For postToolCall: whether it runs only after successful calls. Default: false.',
      true,
    ),
  })
  .refine(({ command, actions: list = [] }) => (command !== undefined) !== list.length > 0, {
    error: 'needs either a command or actions',
  });
