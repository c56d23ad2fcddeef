// A question of the agent: a form, a page to visit, or both. Entries are shared, so several clients
// can fill in one form.
import { useSignal } from '@preact/signals';
import { useId, useRef, useState } from 'preact/hooks';
import type { ChatInputQuestion, ChatInputRequest } from '../../../src/protocols/ahp/v1_0/message.ts';
import { useChat } from '../../state/chat.ts';
import { useHasRole } from '../../state/role.ts';
import { Markdown } from '../parts/Markdown.tsx';
import { AskCard } from './AskCard.tsx';
import {
  answerValue,
  emptyEntry,
  initialEntries,
  needsControl,
  offeredQuestions,
  answersToSend,
  validationError,
} from './answers.ts';
import type { Entries, FieldEntry } from './answers.ts';
import { ViewOnlyHint } from './ViewOnlyHint.tsx';
import { QuestionField } from './QuestionField.tsx';
import { useAnswer } from './useAnswer.ts';

export function QuestionForm({ request }: { readonly request: ChatInputRequest }) {
  const { answering, answer } = useAnswer();
  const [mayApprove, mayControl] = [useHasRole('approve'), useHasRole('control')];
  const mayAnswer = needsControl(request) ? mayControl : mayApprove;
  // Leaves out a field whose value the host would refuse.
  const questions = mayAnswer ? offeredQuestions(request, mayControl) : [];
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const [checked, setChecked] = useState(false);
  const { entries, change, share, latest } = useEntries(request);
  const entryFor = (question: ChatInputQuestion) => entries[question.id] ?? emptyEntry;
  const decline = (response: 'decline' | 'cancel') =>
    answer({ type: 'chat/inputCompleted', requestId: request.id, response });

  const submit = (event: Event): void => {
    event.preventDefault();
    const current = latest();
    const invalid = questions.findIndex(
      (question) => validationError(question, current[question.id] ?? emptyEntry) !== undefined,
    );
    if (invalid < 0) {
      const answers = answersToSend(questions, current);
      answer({ type: 'chat/inputCompleted', requestId: request.id, response: 'accept', answers });
      return;
    }
    setChecked(true);
    const field = form.current?.querySelectorAll<HTMLElement>('.question').item(invalid);
    field?.querySelector<HTMLElement>('input, textarea')?.focus();
  };

  const { title, message } = headOf(request);
  return (
    <AskCard id={request.id} title={title}>
      <form ref={form} class="ask-form" aria-label="Question" noValidate onSubmit={submit}>
        {message !== undefined && <Markdown text={message} />}
        {request.url !== undefined && <PageToVisit url={request.url} />}
        {questions.map((question, index) => (
          <QuestionField
            key={question.id}
            question={question}
            isHead={title === question.message}
            entry={entryFor(question)}
            problem={checked ? validationError(question, entryFor(question)) : undefined}
            name={`${id}-${index}`}
            onChange={(entry) => change(question, entry)}
            onLeave={() => share(question)}
          />
        ))}
        {mayAnswer ? (
          <Actions hasQuestions={questions.length > 0} disabled={answering} onDecline={decline} />
        ) : (
          <ViewOnlyHint />
        )}
      </form>
    </AskCard>
  );
}

/** A single question is the head itself, so that it is shown once. */
function headOf({ message, questions = [] }: ChatInputRequest): {
  readonly title: string;
  readonly message: string | undefined;
} {
  const [only, second] = questions;
  if (!only || second) return { title: 'The agent has a question', message };
  const rest = message === only.message || message === only.title ? undefined : message;
  return { title: only.message, message: rest };
}

interface ActionsProps {
  readonly hasQuestions: boolean;
  readonly disabled: boolean;
  readonly onDecline: (response: 'decline' | 'cancel') => void;
}

function Actions({ hasQuestions, disabled, onDecline }: ActionsProps) {
  return (
    <div class="answers" role="group" aria-label="Answer">
      <button type="submit" class="btn primary" disabled={disabled}>
        {hasQuestions ? 'Answer' : 'Done'}
      </button>
      <button type="button" class="btn danger" disabled={disabled} onClick={() => onDecline('decline')}>
        Decline
      </button>
      <button type="button" class="btn ghost" disabled={disabled} onClick={() => onDecline('cancel')}>
        Cancel
      </button>
    </div>
  );
}

/** The entries of the form: what the user typed here wins over what other clients have filled in. */
function useEntries({ id: requestId, questions = [], answers }: ChatInputRequest) {
  const chat = useChat();
  // A signal, because a field may lose the focus before its last input is rendered.
  const edited = useSignal<Entries>({});
  const share = (question: ChatInputQuestion): void => {
    // A secret is sent once, with the answer, and not while the user types it.
    if (question.kind === 'text' && question.format === 'password') return;
    const entry = edited.peek()[question.id];
    const value = entry && answerValue(question, entry);
    if (!value) return;
    void chat.dispatch({
      type: 'chat/inputAnswerChanged',
      requestId,
      questionId: question.id,
      answer: { state: 'draft', value },
    });
  };
  return {
    entries: { ...initialEntries(questions, answers), ...edited.value },
    latest: (): Entries => ({ ...initialEntries(questions, answers), ...edited.peek() }),
    change: (question: ChatInputQuestion, entry: FieldEntry): void => {
      edited.value = { ...edited.value, [question.id]: entry };
    },
    share,
  };
}

/** Only web addresses become links; any other address is shown as text. */
function PageToVisit({ url }: { readonly url: string }) {
  if (!/^https?:\/\//i.test(url)) return <p class="note">Address: {url}</p>;
  return (
    <p>
      <a class="btn" href={url} target="_blank" rel="noopener noreferrer">
        Open {new URL(url).host}
      </a>{' '}
      <span class="note">{url}</span>
    </p>
  );
}
