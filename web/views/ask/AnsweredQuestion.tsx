// An answered question in the transcript: the question and the answers.
import type { ChatInputAnswer, ChatInputQuestion } from '../../../src/protocols/ahp/v1_0/message.ts';
import type { InputRequestPart } from '../../../src/protocols/ahp/v1_0/state.ts';

const responseLabels = { accept: 'Answered', decline: 'Declined', cancel: 'Cancelled' } as const;

export function AnsweredQuestion({ part: { request, response } }: { readonly part: InputRequestPart }) {
  const { questions = [], answers = {} } = request;
  return (
    <div class="answered" role="group" aria-label="Answered question">
      <p>
        {request.message ?? 'Question'}{' '}
        <span class="hint">{response === undefined ? 'Not answered' : responseLabels[response]}</span>
      </p>
      {questions.length > 0 && response === 'accept' && (
        <dl class="fields">
          {questions.map((question) => (
            <div key={question.id}>
              <dt>{question.title ?? question.message}</dt>
              <dd>{answerText(question, answers[question.id])}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
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
