// The settings that decide which tool calls run, in the whole program and in one mode.
import * as z from 'zod';
import { parseRule } from '../../policy/ruleText.ts';
import { expression, flag, name, optional, strings, word } from './values.ts';

const ruleText = z.string().refine((text) => parseRule(text) !== undefined, {
  error: 'is not a rule such as "write_file", "write_file(src/**)" or "$ git log *"',
});

const ruleObject = z.strictObject({
  tool: optional(
    name,
    'Tool name, with * as a wildcard, or a kind such as @edit. Default: every tool.',
    'write_file',
  ),
  command: optional(word, 'The exact command; a final * matches any further arguments.', 'git log *'),
  paths: optional(
    strings.min(1),
    'Path patterns, absolute or relative to the workspace; ** matches any number of folders.',
    ['src/**'],
  ),
  args: optional(
    z.record(name, expression),
    'Regular expressions by argument name; each must match the whole argument.',
    { url: 'https://docs\\.example\\.com/.*' },
  ),
});

const rule = z.union([ruleText, ruleObject]);

const denial = z.union([
  ruleText,
  ruleObject.extend({
    ends: optional(
      flag,
      'Whether a denial ends the turn, so that you can say what to do instead. Default: false; the ' +
        'agent continues.',
      true,
    ),
  }),
]);

export const approvals = z.strictObject({
  allow: optional(z.array(rule), 'Calls that run without approval.', ['$ npm test']),
  ask: optional(z.array(rule), 'Calls that always need approval.', ['$ git push *']),
  deny: optional(z.array(denial), 'Calls that never run.', ['write_file(secrets/**)']),
});
