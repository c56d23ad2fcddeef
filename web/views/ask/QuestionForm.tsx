// Questions of an agent: a form, a page to visit, or both. What is filled in is shared, so that several people may fill it together.
import { useSignal } from '@preact/signals';
import { useId, useRef, useState } from 'preact/hooks';
import type { ChatInputQuestion, ChatInputRequest } from '../../../src/protocols/ahp/v1_0/message.ts';
import { useChat } from '../../state/chat.ts';
import { useMay } from '../../state/role.ts';
import { Markdown } from '../parts/Markdown.tsx';
import { entriesOf, nothing, problemWith, submitted, valueOf } from './answers.ts';
import type { Entries, Entry } from './answers.ts';
import { QuestionField } from './QuestionField.tsx';
import { useAnswer } from './useAnswer.ts';

export function QuestionForm({ request }: { readonly request: ChatInputRequest }) {
  const { questions = [], answers } = request;
  const chat = useChat();
  const { answering, answer } = useAnswer();
  const mayAnswer = useMay('approve');
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  // A signal, because a field may be left before what was typed into it has been drawn.
  const touched = useSignal<Entries>({});
  const [checked, setChecked] = useState(false);
  // What was typed here wins over what comes from elsewhere.
  const entries: Entries = { ...entriesOf(questions, answers), ...touched.value };
  const decline = (response: 'decline' | 'cancel') =>
    answer({ type: 'chat/inputCompleted', requestId: request.id, response });

  return (
    <div role="group" aria-label="Question">
      <form ref={form} class="ask" noValidate onSubmit={submit}>
        {request.message !== undefined && <Markdown text={request.message} />}
        {request.url !== undefined && <Visit url={request.url} />}
        {questions.map((question, index) => (
          <QuestionField
            key={question.id}
            question={question}
            entry={entryFor(question)}
            problem={checked ? problemWith(question, entryFor(question)) : undefined}
            name={`${id}-${index}`}
            onChange={(entry) => (touched.value = { ...touched.value, [question.id]: entry })}
            onLeave={() => share(question)}
          />
        ))}
        {!mayAnswer && <p class="hint">This device may only look; somebody else has to answer.</p>}
        <div class="ask-actions" role="group" aria-label="Answer" hidden={!mayAnswer}>
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
    </div>
  );

  function entryFor({ id: question }: ChatInputQuestion): Entry {
    return entries[question] ?? nothing;
  }

  function share(question: ChatInputQuestion): void {
    // A secret is said once, with the answer, and not while it is being typed.
    if (question.kind === 'text' && question.format === 'password') return;
    const entry = touched.peek()[question.id];
    const value = entry && valueOf(question, entry);
    if (value)
      void chat.act({
        type: 'chat/inputAnswerChanged',
        requestId: request.id,
        questionId: question.id,
        answer: { state: 'draft', value },
      });
  }

  function submit(event: Event): void {
    event.preventDefault();
    const given: Entries = { ...entriesOf(questions, answers), ...touched.peek() };
    const wrong = questions.findIndex(
      (question) => problemWith(question, given[question.id] ?? nothing) !== undefined,
    );
    if (wrong < 0) {
      answer({
        type: 'chat/inputCompleted',
        requestId: request.id,
        response: 'accept',
        answers: submitted(questions, given),
      });
      return;
    }
    setChecked(true);
    const question = form.current?.querySelectorAll<HTMLElement>('.question').item(wrong);
    question?.querySelector<HTMLElement>('input, textarea')?.focus();
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
