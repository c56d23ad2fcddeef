// Replaces invisible characters in questions and titles before they are stored, so that all
// clients show the same text.
import { readableText, visibleText } from '../../base/visibleText.ts';
import type { AgentReport } from '../../model/command.ts';
import type { Ask, Question } from '../../model/event.ts';

export function visibleAsk(ask: Ask): Ask {
  switch (ask.kind) {
    case 'approval': {
      const options = ask.options.map((option) => ({ ...option, label: visibleText(option.label) }));
      return { ...ask, title: visibleText(ask.title), options };
    }
    case 'question':
      return { ...ask, message: readableText(ask.message), questions: ask.questions.map(visibleQuestion) };
    case 'signin':
      return { ...ask, message: readableText(ask.message) };
    default:
      return ask satisfies never;
  }
}

/** The title of a call is shown in its approval and while it runs. */
export function visibleReport(report: AgentReport): AgentReport {
  if (report.kind !== 'tool.started' && report.kind !== 'tool.ready') return report;
  return { ...report, title: visibleText(report.title) };
}

function visibleQuestion(question: Question): Question {
  const { message, title, answer } = question;
  const named = title === undefined ? {} : { title: readableText(title) };
  const shown = { ...question, message: readableText(message), ...named };
  if (answer.type !== 'one' && answer.type !== 'many') return shown;
  const choices = answer.choices.map((choice) => ({
    ...choice,
    label: visibleText(choice.label),
    ...(choice.description === undefined ? {} : { description: readableText(choice.description) }),
  }));
  return { ...shown, answer: { ...answer, choices } };
}
