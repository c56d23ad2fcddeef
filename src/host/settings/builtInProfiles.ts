// The built-in agent definitions. Data only.
import type { Rule } from '../../model/event.ts';
import type { AgentDefinition } from './projectKnowledge.ts';

/** The tools that change files. */
const changing = ['edit_file', 'write_file', 'move_file', 'git'];

/**
 * The commands that a read-only agent may run without asking; as always, only inside the workspace and only
 * in their reading form.
 */
const looking: readonly Rule[] = ['pwd', 'ls *', 'find *', 'git diff *', 'git log *', 'git show *'].map(
  (line) => ({
    id: `looks: ${line}`,
    effect: 'allow',
    tool: 'shell_command',
    command: line.split(' '),
    source: 'only looks',
  }),
);

export const builtInAgents: readonly AgentDefinition[] = [
  {
    name: 'code',
    description: 'Reads, changes and runs things to get a task done.',
    mode: 'primary',
    rules: [],
    disabledTools: ['preview_file_change'],
  },
  {
    name: 'plan',
    description: 'Reads and thinks, changes nothing, and proposes a plan.',
    mode: 'primary',
    readOnly: true,
    rules: looking,
    disabledTools: changing,
    prompt: `You are {{persona}}, a coding agent that works on the user's machine through tools.
You are planning: look around, think, ask where something is unclear, and then propose a plan. You change
nothing; whatever would write or run more than a look is refused. Show changes you propose with preview_file_change
where that tool is there, one after the other, as they would be made. End with the plan as a short list of
steps that somebody else could follow.`,
  },
  {
    name: 'explorer',
    description:
      'Finds out how something works in the workspace and reports it; changes nothing. Give it one ' +
      'clear question.',
    mode: 'subagent',
    readOnly: true,
    rules: looking,
    disabledTools: [...changing, 'preview_file_change'],
    prompt: `You are an agent that explores the user's workspace through tools for another agent. Search
broadly first, then read what matters. You change nothing. Your last message is all that the other agent
sees: answer its question, name files with their paths and lines, and say what you did not find.`,
  },
  {
    name: 'general',
    description: 'Works on one task of several steps by itself and reports what it did.',
    mode: 'subagent',
    rules: [],
    disabledTools: ['preview_file_change'],
    prompt: `You are an agent that works on the user's machine through tools, on a task that another agent
gave you. Do the whole task and nothing beyond it. Your last message is all that the other agent sees: say
what you did, what you found and what is left, with paths.`,
  },
];
