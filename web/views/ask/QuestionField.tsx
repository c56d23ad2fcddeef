// One question of a form, of any kind.
import type { ChatInputQuestion } from '../../../src/protocols/ahp/v1_0/message.ts';
import type { Entry } from './answers.ts';

interface QuestionFieldProps {
  readonly question: ChatInputQuestion;
  readonly entry: Entry;
  readonly problem: string | undefined;
  readonly name: string;
  readonly onChange: (entry: Entry) => void;
  /** The person is done with this field for now. */
  readonly onLeave: () => void;
}

export function QuestionField(props: QuestionFieldProps) {
  const { question, problem, name } = props;
  const described = problem === undefined ? undefined : `${name}-problem`;
  return (
    <div class="question">
      {question.kind === 'single-select' || question.kind === 'multi-select' ? (
        <Choices {...props} described={described} />
      ) : question.kind === 'boolean' ? (
        <Toggle {...props} />
      ) : (
        <Typed {...props} described={described} />
      )}
      {problem !== undefined && (
        <p id={described} class="problem">
          {problem}
        </p>
      )}
    </div>
  );
}

function Label({ question }: { readonly question: ChatInputQuestion }) {
  return (
    <>
      {question.title !== undefined && <strong>{question.title} </strong>}
      {question.message}
      {question.required === true && <span class="hint"> (needed)</span>}
    </>
  );
}

interface Described extends QuestionFieldProps {
  readonly described: string | undefined;
}

function Typed({ question, entry, problem, name, onChange, onLeave, described }: Described) {
  const set = (event: { currentTarget: { value: string } }) =>
    onChange({ ...entry, text: event.currentTarget.value });
  const common = {
    id: name,
    value: entry.text,
    'aria-invalid': problem !== undefined,
    'aria-describedby': described,
    onInput: set,
    onBlur: onLeave,
  };
  return (
    <>
      <label for={name}>
        <Label question={question} />
      </label>
      <Control question={question} common={common} />
    </>
  );
}

interface Common {
  readonly id: string;
  readonly value: string;
  readonly onInput: (event: { currentTarget: { value: string } }) => void;
  readonly onBlur: () => void;
}

function Control({ question, common }: { readonly question: ChatInputQuestion; readonly common: Common }) {
  if (question.kind === 'number') return <input type="text" inputMode="decimal" {...common} />;
  if (question.kind === 'integer') return <input type="text" inputMode="numeric" {...common} />;
  const { format, max = 0 } = question.kind === 'text' ? question : {};
  if (format === 'multiline' || max > 200) return <textarea rows={4} {...common} />;
  if (format === 'password') return <input type="password" autocomplete="off" {...common} />;
  if (format === 'date') return <input type="date" {...common} />;
  return (
    <input
      type="text"
      inputMode={format === 'email' ? 'email' : format === 'uri' ? 'url' : 'text'}
      {...common}
    />
  );
}

function Toggle({ question, entry, name, onChange, onLeave }: QuestionFieldProps) {
  return (
    <label class="choice">
      <input
        id={name}
        type="checkbox"
        checked={entry.chosen.includes('true')}
        onChange={(event) => onChange({ ...entry, chosen: event.currentTarget.checked ? ['true'] : [] })}
        onBlur={onLeave}
      />
      <span>
        <Label question={question} />
      </span>
    </label>
  );
}

function Choices({ question, entry, name, onChange, onLeave, described }: Described) {
  if (question.kind !== 'single-select' && question.kind !== 'multi-select') return null;
  const many = question.kind === 'multi-select';
  const choose = (id: string, on: boolean): void => {
    const others = many ? entry.chosen.filter((chosen) => chosen !== id) : [];
    onChange({ ...entry, chosen: on ? [...others, id] : others });
  };
  return (
    <fieldset aria-describedby={described} onBlur={onLeave}>
      <legend>
        <Label question={question} />
      </legend>
      {question.options.map(({ id, label, description, recommended }) => (
        <label key={id} class="choice">
          <input
            type={many ? 'checkbox' : 'radio'}
            name={name}
            checked={entry.chosen.includes(id)}
            onChange={(event) => choose(id, event.currentTarget.checked)}
          />
          <span>
            {label}
            {recommended === true && <span class="hint"> (recommended)</span>}
            {description !== undefined && <span class="description">{description}</span>}
          </span>
        </label>
      ))}
      {question.allowFreeformInput === true && (
        <label class="freeform">
          <span>Something else</span>
          <input
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
