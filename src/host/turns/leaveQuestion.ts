// Asks whether a command may run once more outside the sandbox. Only the sandbox's own report of what it has
// stopped leads here, never the words of a program; no rule or earlier answer covers it.
import type { Choice } from '../../model/event.ts';
import type { Confinement } from '../ports.ts';
import type { NetworkQuestionOptions } from './networkQuestions.ts';

export interface LeaveQuestionOptions {
  readonly newId: () => string;
  /** Asks in the running turn. */
  readonly open: NetworkQuestionOptions['open'];
}

export function askToLeave(
  { newId, open }: LeaveQuestionOptions,
  { title, tool }: { readonly title: string; readonly tool: string },
): NonNullable<Confinement['leave']> {
  return async (stopped, signal) => {
    const answer = await open(
      {
        kind: 'question',
        id: newId(),
        tool,
        message: `${title} failed, and the sandbox had stopped ${stopped.join('; ')}.`,
        questions: [
          {
            id: 'leave',
            message: 'Run it again outside the sandbox, with your rights?',
            required: true,
            answer: { type: 'one', choices },
          },
        ],
        needs: 'approve',
        about: 'leaving',
      },
      { signal, why: 'The call was stopped.' },
    );
    return answer.kind === 'fields' && answer.values['leave'] === 'once';
  };
}

const choices: readonly Choice[] = [
  {
    id: 'once',
    label: 'Run it once outside',
    description: 'This command only; the next one is confined again.',
  },
  { id: 'no', label: 'Leave it as it is' },
];
