// The input for one question of a form.
import type { ChatInputQuestion } from '../../../src/protocols/ahp/v1_0/message.ts';
import { Icon } from '../parts/Icon.tsx';
import type { FieldEntry } from './answers.ts';

interface QuestionFieldProps {
  readonly question: ChatInputQuestion;
  readonly entry: FieldEntry;
  readonly problem: string | undefined;
  readonly name: string;
  /** The question is the head of the card and not repeated for eyes. */
  readonly isHead: boolean;
  readonly onChange: (entry: FieldEntry) => void;
  /** The user left the field. */
  readonly onLeave: () => void;
}

export function QuestionField(props: QuestionFieldProps) {
  const { problem, name } = props;
  const described = problem === undefined ? undefined : `${name}-problem`;
  return (
    <div class="field question">
      <Input {...props} described={described} />
      {problem !== undefined && (
        <p id={described} class="error">
          <Icon name="warn" />
          {problem}
        </p>
      )}
    </div>
  );
}

function Input(props: DescribedProps) {
  switch (props.question.kind) {
    case 'single-select':
    case 'multi-select':
      return <Choices {...props} question={props.question} />;
    case 'boolean':
      return <Checkbox {...props} />;
    case 'text':
    case 'number':
    case 'integer':
      return <TextField {...props} />;
    default:
      return props.question satisfies never;
  }
}

function Label({ question, isHead }: Pick<QuestionFieldProps, 'question' | 'isHead'>) {
  return (
    <span class={isHead ? 'unseen' : ''} dir="auto">
      {question.title !== undefined && question.title !== question.message && <b>{question.title} </b>}
      {question.message}
      {question.required === true && <span class="faint"> (required)</span>}
    </span>
  );
}

interface DescribedProps extends QuestionFieldProps {
  /** The id of the element with the error message. */
  readonly described: string | undefined;
}

function TextField(props: DescribedProps) {
  const { question, entry, problem, name, isHead, onChange, onLeave, described } = props;
  const set = (event: { currentTarget: { value: string } }) =>
    onChange({ ...entry, text: event.currentTarget.value });
  const common = {
    id: name,
    class: 'input',
    dir: 'auto' as const,
    value: entry.text,
    'aria-invalid': problem !== undefined,
    'aria-describedby': described,
    onInput: set,
    onBlur: onLeave,
  };
  return (
    <>
      <label for={name}>
        <Label question={question} isHead={isHead} />
      </label>
      <Control question={question} common={common} />
    </>
  );
}

interface ControlProps {
  readonly id: string;
  readonly class: string;
  readonly dir: 'auto';
  readonly value: string;
  readonly onInput: (event: { currentTarget: { value: string } }) => void;
  readonly onBlur: () => void;
}

const inputModes: ReadonlyMap<string | undefined, 'email' | 'url'> = new Map([
  ['email', 'email'],
  ['uri', 'url'],
]);

function Control({
  question,
  common,
}: {
  readonly question: ChatInputQuestion;
  readonly common: ControlProps;
}) {
  if (question.kind === 'number') return <input type="text" inputMode="decimal" {...common} />;
  if (question.kind === 'integer') return <input type="text" inputMode="numeric" {...common} />;
  const { format, max = 0 } = question.kind === 'text' ? question : {};
  if (format === 'multiline' || max > 200) return <textarea rows={4} {...common} />;
  if (format === 'password') return <input type="password" autocomplete="off" {...common} />;
  if (format === 'date') return <input type="date" {...common} />;
  return <input type="text" inputMode={inputModes.get(format) ?? 'text'} {...common} />;
}

function Checkbox({ question, entry, name, isHead, onChange, onLeave }: QuestionFieldProps) {
  return (
    <label class="choice">
      <input
        id={name}
        type="checkbox"
        checked={entry.chosen.includes('true')}
        onChange={(event) => onChange({ ...entry, chosen: event.currentTarget.checked ? ['true'] : [] })}
        onBlur={onLeave}
      />
      {isHead ? <b>Yes</b> : null}
      <Label question={question} isHead={isHead} />
    </label>
  );
}

interface ChoicesProps extends DescribedProps {
  readonly question: Extract<ChatInputQuestion, { kind: 'single-select' | 'multi-select' }>;
}

function Choices({ question, entry, name, isHead, onChange, onLeave, described }: ChoicesProps) {
  const many = question.kind === 'multi-select';
  const choose = (id: string, on: boolean): void => {
    const others = many ? entry.chosen.filter((chosen) => chosen !== id) : [];
    onChange({ ...entry, chosen: on ? [...others, id] : others });
  };
  return (
    <fieldset aria-describedby={described} onBlur={onLeave}>
      <legend class="label">
        <Label question={question} isHead={isHead} />
      </legend>
      <div class="choices">
        {question.options.map(({ id, label, description, recommended }) => (
          <label key={id} class="choice">
            <input
              type={many ? 'checkbox' : 'radio'}
              name={name}
              checked={entry.chosen.includes(id)}
              onChange={(event) => choose(id, event.currentTarget.checked)}
            />
            <span dir="auto">
              <b>
                {label}
                {recommended === true && <span class="faint"> (recommended)</span>}
              </b>
              {description !== undefined && <small>{description}</small>}
            </span>
          </label>
        ))}
      </div>
      {question.allowFreeformInput === true && (
        <label class="field">
          <span class="label">Other answer</span>
          <input
            class="input"
            dir="auto"
            placeholder="Type your own answer"
            value={entry.text}
            onInput={(event) =>
              onChange({ chosen: many ? entry.chosen : [], text: event.currentTarget.value })
            }
          />
        </label>
      )}
    </fieldset>
  );
}
