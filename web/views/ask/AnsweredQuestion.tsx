// An answered question in the transcript: the question and the answers.
import type { ChatInputAnswer, ChatInputQuestion } from '../../../src/protocols/ahp/v1_0/message.ts';
import type { InputRequestPart } from '../../../src/protocols/ahp/v1_0/state.ts';
import { Icon } from '../parts/Icon.tsx';

const responseLabels = { accept: 'Answered', decline: 'Declined', cancel: 'Cancelled' } as const;

export function AnsweredQuestion({ part: { request, response } }: { readonly part: InputRequestPart }) {
  const { questions = [], answers = {} } = request;
  const given = questions.map((question) => answerText(question, answers[question.id]));
  const state = response === undefined ? 'Not answered' : responseLabels[response];
  return (
    <details class="call" role="group" aria-label="Answered question">
      <summary>
        <Icon name="question" kind="kind" />
        <span class="verb">Asked</span>{' '}
        <span class="object" dir="auto">
          {request.message ?? questions[0]?.message ?? 'Question'}
        </span>
        <Icon name="chev" kind="chev" />
        <span class="end">
          {response === 'accept' && given.length === 1 && <span class="truncate">{given[0]}</span>}
          <span>{state}</span>
        </span>
      </summary>
      {questions.length > 0 && response === 'accept' && (
        <dl class="call-body fields">
          {questions.map((question, index) => (
            <div key={question.id}>
              <dt dir="auto">{question.title ?? question.message}</dt>
              <dd dir="auto">{given[index]}</dd>
            </div>
          ))}
        </dl>
      )}
    </details>
  );
}

function answerText(question: ChatInputQuestion, answer: ChatInputAnswer | undefined): string {
  if (answer === undefined || answer.state === 'skipped') return '–';
  const { value } = answer;
  if (question.kind === 'text' && question.format === 'password') return '••••';
  if (value.kind === 'boolean') return value.value ? 'Yes' : 'No';
  if (value.kind === 'text' || value.kind === 'number') return String(value.value);
  const options = 'options' in question ? question.options : [];
  const chosen = [value.value].flat().map((id) => options.find((option) => option.id === id)?.label ?? id);
  return [...chosen, ...(value.freeformValues ?? [])].filter((text) => text !== '').join(', ');
}
