// The settings of external agents, and of the modes and prompts of the native agent.
import * as z from 'zod';
import { approvals } from './approvals.ts';
import { count, flag, name, namedStrings, optional, percent, strings, text, word } from './values.ts';

export const agent = z.strictObject({
  name: optional(text, 'Display name.', 'Gemini'),
  description: optional(text, 'Short description for the list of agents.', "Google's agent"),
  command: optional(
    word,
    'Program that speaks ACP on stdin and stdout. Not needed if Parley knows the id.',
    'gemini',
  ),
  args: optional(strings, 'Arguments of the program.', ['--acp']),
  env: optional(namedStrings, 'Additional environment variables.', { LOG_LEVEL: 'debug' }),
  inherits: optional(strings, 'Names of environment variables that the agent inherits from Parley.', [
    'GEMINI_API_KEY',
  ]),
  mode: optional(text, 'Initial mode of its sessions.', 'plan'),
  acpVersion: optional(
    z.literal([1, 2]),
    'The version of ACP that the agent is asked for; 2 is a draft, and an agent without it goes on with 1. ' +
      'Default: 1.',
    2,
  ),
  sandbox: optional(
    z.enum(['on', 'auto', 'off']),
    'When the agent runs in the sandbox: on (always; without a sandbox it does not start), auto (in ' +
      'sessions with the permission mode auto), or off. Default: auto for agents that Parley knows to ' +
      'work in it, otherwise off.',
    'on',
  ),
  folders: optional(
    strings,
    'Its own folders and files, for the sandbox: it may write there, and sees its sign-in. Not needed ' +
      'if Parley knows the id.',
    ['~/.gemini'],
  ),
  hosts: optional(
    strings,
    'The servers of its model, for the sandbox: it reaches them unasked. A name with a port is reached on ' +
      'this machine and its network, too. Not needed for what Parley knows by the id or reads from the ' +
      'variables of the agent.',
    ['models.example.com', 'localhost:11434'],
  ),
  disabled: optional(flag, 'Whether the agent is hidden and cannot be started. Default: false.', true),
});

const promptTexts = {
  title: optional(word, 'System prompt for titles.', 'Write a title of at most five words.'),
  compact: optional(word, 'System prompt for summaries (compaction).', 'Summarize the conversation.'),
  tools: optional(z.record(z.string(), word), 'Tool descriptions by tool name.', {
    grep: 'Searches the files of the workspace.',
  }),
};

export const modePrompts = z.strictObject(promptTexts);

export const prompts = z.strictObject({
  titles: optional(flag, 'Whether Parley generates titles for conversations. Default: true.', false),
  follow: optional(
    flag,
    'Whether changes to AGENTS.md, rules and skills apply to running conversations immediately. ' +
      'If false, /sync-system-prompt applies them and the prompt cache stays valid. Default: false.',
    true,
  ),
  ...promptTexts,
});

export const mode = z.strictObject({
  inherit: optional(name, 'Mode that provides every setting that is absent here.', 'plan'),
  description: optional(
    text,
    'Purpose of the mode; other agents choose it by this text.',
    'Reviews changes before they are committed.',
  ),
  mode: optional(
    z.enum(['primary', 'subagent', 'all']),
    'primary: users can select it; subagent: other agents can start it; all: both. Default: all.',
    'subagent',
  ),
  prompt: optional(text, 'System prompt that replaces the built-in one.', 'You review changes.'),
  prompts: optional(modePrompts, 'Prompts of this mode; they override the section prompts.', {
    compact: 'Summarize the findings.',
  }),
  model: optional(word, 'Default model of this mode, as provider/model.', 'anthropic/claude-sonnet-4-5'),
  variant: optional(word, 'Default reasoning preset of this mode.', 'high'),
  readOnly: optional(z.literal(true), 'Read-only: no rule or approval lets the mode change anything.', true),
  tools: optional(strings, 'Names of the only tools that the mode has.', ['read_file', 'grep']),
  disabledTools: optional(strings, 'Names of tools that the mode does not have.', ['web_fetch']),
  approvals: optional(approvals, 'Additional approval rules for this mode.', { ask: ['@edit'] }),
  maxSteps: optional(count, 'Maximum number of model requests per turn.', 20),
  compactAt: optional(percent, 'Context usage in percent at which the conversation is compacted.', 60),
  spawnableBy: optional(strings, 'Names of the modes that may start it. Default: all modes.', ['code']),
  disabled: optional(flag, 'Whether the mode is removed. Default: false.', true),
});
