// Questions of an agent: a form, a page to visit, or both. What is filled in is shared, so that several people may fill it together.
import { useId, useRef, useState } from 'preact/hooks';
import type { ChatInputQuestion, ChatInputRequest } from '../../../src/protocols/ahp/newest/message.ts';
import { useChat } from '../../state/chat.ts';
import { Markdown } from '../parts/Markdown.tsx';
import { entriesOf, problemWith, submitted, valueOf } from './answers.ts';
import type { Entries, Entry } from './answers.ts';
import { QuestionField } from './QuestionField.tsx';
import { useAnswer } from './useAnswer.ts';

export function QuestionForm({ request }: { readonly request: ChatInputRequest }) {
  const { questions = [], answers } = request;
  const chat = useChat();
  const { answering, answer } = useAnswer();
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const [touched, setTouched] = useState<Entries>({});
  const [checked, setChecked] = useState(false);
  // What was typed here wins over what comes from elsewhere.
  const entries: Entries = { ...entriesOf(questions, answers), ...touched };
  const problems = new Map(questions.map((question) => [question.id, problemWith(question, entryFor(question))]));
  const decline = (response: 'decline' | 'cancel') => answer({ type: 'chat/inputCompleted', requestId: request.id, response });

  return (
    <form ref={form} class="ask" aria-label="Question" noValidate onSubmit={submit}>
      {request.message !== undefined && <Markdown text={request.message} />}
      {request.url !== undefined && <Visit url={request.url} />}
      {questions.map((question, index) => (
        <QuestionField
          key={question.id}
          question={question}
          entry={entryFor(question)}
          problem={checked ? problems.get(question.id) : undefined}
          name={`${id}-${index}`}
          onChange={(entry) => setTouched({ ...touched, [question.id]: entry })}
          onLeave={() => share(question)}
        />
      ))}
      <div class="ask-actions" role="group" aria-label="Answer">
        <button type="submit" class="primary" disabled={answering}>
          {questions.length === 0 ? 'Done' : 'Answer'}
        </button>
        <button type="button" class="danger" disabled={answering} onClick={() => decline('decline')}>
          Decline
        </button>
        <button type="button" disabled={answering} onClick={() => decline('cancel')}>
          Cancel
        </button>
      </div>
    </form>
  );

  function entryFor({ id: question }: ChatInputQuestion): Entry {
    return entries[question] ?? { text: '', chosen: [] };
  }

  function share(question: ChatInputQuestion): void {
    const entry = touched[question.id];
    const value = entry && valueOf(question, entry);
    if (value) void chat.act({ type: 'chat/inputAnswerChanged', requestId: request.id, questionId: question.id, answer: { state: 'draft', value } });
  }

  function submit(event: Event): void {
    event.preventDefault();
    const wrong = questions.findIndex((question) => problems.get(question.id) !== undefined);
    if (wrong < 0) {
      answer({ type: 'chat/inputCompleted', requestId: request.id, response: 'accept', answers: submitted(questions, entries) });
      return;
    }
    setChecked(true);
    form.current?.querySelectorAll<HTMLElement>('.question')[wrong]?.querySelector<HTMLElement>('input, textarea')?.focus();
  }
}

/** Only addresses of the web are opened; any other is shown for the person to judge. */
function Visit({ url }: { readonly url: string }) {
  if (!/^https?:\/\//i.test(url)) return <p class="hint">Address: {url}</p>;
  return (
    <p>
      <a class="button" href={url} target="_blank" rel="noopener noreferrer">
        Open {new URL(url).host}
      </a>{' '}
      <span class="hint">{url}</span>
    </p>
  );
}
