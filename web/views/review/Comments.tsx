// Comments on lines: shown below their line until all of them are sent to the agent as one message.
import { useRef } from 'preact/hooks';
import type { Signal } from '@preact/signals';
import { commentsText, isAt } from './marks.ts';
import type { LineComment, ReviewMarks } from './marks.ts';
import { toast } from '../../state/toasts.ts';
import { sendMessage } from '../compose/sending.ts';
import type { ChatTarget } from '../compose/sending.ts';
import { Icon, IconButton } from '../parts/Icon.tsx';

interface CommentViewProps {
  readonly comment: LineComment;
  readonly onDelete: () => void;
}

export function CommentView({ comment: { line, text }, onDelete }: CommentViewProps) {
  return (
    <div class="comment">
      <header>
        <b>You</b>
        <span>on line {line} · draft</span>
        <span class="grow" />
        <IconButton icon="x" label="Delete comment" onClick={onDelete} />
      </header>
      <p dir="auto">{text}</p>
      <footer>
        <span class="faint">Not sent yet</span>
      </footer>
    </div>
  );
}

interface CommentFormProps {
  readonly line: number;
  /** What was typed until now: another layout of the lines makes the field anew. */
  readonly draft: { current: string };
  readonly onSave: (text: string) => void;
  readonly onClose: () => void;
}

/** Reads the field itself: the last keys may not be rendered yet when Ctrl+Enter follows at once. */
export function CommentForm({ line, draft, onSave, onClose }: CommentFormProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const save = (): void => {
    const text = field.current?.value.trim() ?? '';
    if (text !== '') onSave(text);
    onClose();
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') onClose();
    else if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    else save();
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <form
      class="comment"
      aria-label={`Comment on line ${line}`}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <textarea
        ref={(element) => {
          if (element && !field.current) element.focus();
          field.current = element;
        }}
        class="input"
        rows={3}
        dir="auto"
        aria-label={`Comment on line ${line}`}
        defaultValue={draft.current}
        onInput={(event) => {
          draft.current = event.currentTarget.value;
        }}
        onKeyDown={press}
      />
      <footer>
        <button type="submit" class="btn small primary">
          Add comment
        </button>
        <button type="button" class="btn small ghost" onClick={onClose}>
          Cancel
        </button>
      </footer>
    </form>
  );
}

interface CommentBarProps {
  readonly marks: Signal<ReviewMarks>;
  readonly target: ChatTarget;
  readonly onSent: () => void;
}

export function CommentBar({ marks, target, onSent }: CommentBarProps) {
  const { comments } = marks.value;
  if (comments.length === 0) return null;
  const clear = (): void => {
    marks.value = { ...marks.peek(), comments: [] };
  };
  const send = async (): Promise<void> => {
    const settlement = await sendMessage(target, {
      text: commentsText(comments),
      origin: { kind: 'user' },
    });
    if (settlement.kind !== 'accepted') {
      const reason = settlement.kind === 'rejected' ? settlement.reason : 'The connection was lost.';
      toast('problem', `The comments were not sent: ${reason}`);
      return;
    }
    clear();
    toast('info', comments.length === 1 ? 'Comment sent to the agent' : 'Comments sent to the agent');
    onSent();
  };
  return (
    <div class="floatbar" role="group" aria-label="Comments">
      <Icon name="comment" />
      <span>
        <b>
          {comments.length} {comments.length === 1 ? 'comment' : 'comments'}
        </b>
        <span class="ready"> ready</span>
      </span>
      <button type="button" class="btn ghost small" onClick={clear}>
        Clear
      </button>
      <button type="button" class="btn primary small" onClick={() => void send()}>
        Send to agent
      </button>
    </div>
  );
}

/** Puts a comment at its line, or takes it away where it has no text. */
export function setComment(marks: Signal<ReviewMarks>, comment: LineComment): void {
  const { accepted, comments } = marks.peek();
  const others = comments.filter((each) => !isAt(each, comment));
  marks.value = { accepted, comments: comment.text === '' ? others : [...others, comment] };
}
