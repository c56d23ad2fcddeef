// The roles of clients that connect over the network: observe, approve, or control.
import type { Ask, Choice, Json } from '../../model/event.ts';

export const roles = ['observe', 'approve', 'control'] as const;

export type Role = (typeof roles)[number];

export function isRole(value: unknown): value is Role {
  return roles.some((role) => role === value);
}

export function mayAs(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}

/** The refusal for a client that asks for more than its role allows. */
export function roleRefusal(role: Role, needed: Role): string {
  return (
    `This device may ${roleText[role]}; this needs a device that may ${roleText[needed]}. Change it with ` +
    'parley devices role.'
  );
}

/**
 * The question with the choices that a role has: none where another role must answer, and none that outlive
 * the session without control.
 */
export function questionsFor<T extends Ask>(ask: T, role: Role): T {
  if (ask.kind !== 'question') return ask;
  const mayAnswer = ask.needs === undefined || mayAs(role, ask.needs);
  const choicesOf = (choices: readonly Choice[]) =>
    choices.filter(({ needs }) => mayAnswer && (needs === undefined || mayAs(role, needs)));
  const questions = ask.questions.map((question) =>
    question.answer.type === 'one' || question.answer.type === 'many'
      ? { ...question, answer: { ...question.answer, choices: choicesOf(question.answer.choices) } }
      : question,
  );
  return { ...ask, questions };
}

/** Why a role may not give these answers; undefined if it may. */
export function choiceRefusal(
  ask: Ask,
  values: { readonly [question: string]: Json },
  role: Role,
): string | undefined {
  const questions = ask.kind === 'question' ? ask.questions : [];
  const needed = questions
    .flatMap(({ id, answer }) => {
      const chosen = [values[id]].flat();
      return 'choices' in answer ? answer.choices.filter((choice) => chosen.includes(choice.id)) : [];
    })
    .find(({ needs }) => needs !== undefined && !mayAs(role, needs))?.needs;
  return needed && roleRefusal(role, needed);
}

export const roleText: Readonly<Record<Role, string>> = {
  observe: 'view',
  approve: 'view and approve',
  control: 'control everything',
};
