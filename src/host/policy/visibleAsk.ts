// What agents write into questions and titles, made visible before it is stored: so every client of every door shows the same.
import { readableText, visibleText } from '../../base/visibleText.ts';
import type { AgentReport } from '../../model/command.ts';
import type { Ask, Question } from '../../model/event.ts';

export function visibleAsk(ask: Ask): Ask {
  switch (ask.kind) {
    case 'approval':
      return {
        ...ask,
        title: visibleText(ask.title),
        options: ask.options.map((option) => ({ ...option, label: visibleText(option.label) })),
      };
    case 'question':
      return { ...ask, message: readableText(ask.message), questions: ask.questions.map(visibleQuestion) };
    case 'signin':
      return { ...ask, message: readableText(ask.message) };
    default:
      return ask satisfies never;
  }
}

/** The title of a call is shown where it is asked about, and stays when it runs. */
export function visibleReport(report: AgentReport): AgentReport {
  return report.kind === 'tool.started' || report.kind === 'tool.ready'
    ? { ...report, title: visibleText(report.title) }
    : report;
}

function visibleQuestion(question: Question): Question {
  const { message, title, answer } = question;
  const shown = {
    ...question,
    message: readableText(message),
    ...(title === undefined ? {} : { title: readableText(title) }),
  };
  if (answer.type !== 'one' && answer.type !== 'many') return shown;
  const choices = answer.choices.map((choice) => ({
    ...choice,
    label: visibleText(choice.label),
    ...(choice.description === undefined ? {} : { description: readableText(choice.description) }),
  }));
  return { ...shown, answer: { ...answer, choices } };
}
