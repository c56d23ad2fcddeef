// What a tool is called with: fields of a JSON object one by one, a change as a difference, anything else as text.
import { useContext } from 'preact/hooks';
import { visibleText } from '../../../src/base/visibleText.ts';
import type { ToolInput } from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { isRecord } from '../../../src/base/isRecord.ts';
import type { Fields } from '../../client/incoming.ts';
import { ReadingContext } from '../../state/reading.ts';
import { useResource } from '../../state/resources.ts';
import { EndMark, Unfinished } from '../ask/EndMark.tsx';
import { Whole } from '../ask/Whole.tsx';
import { DiffView } from '../diff/DiffView.tsx';
import { Plain } from '../parts/Plain.tsx';

interface ToolInputProps<Input> {
  readonly input: Input;
  /** Fields that are shown elsewhere. */
  readonly without?: readonly string[] | undefined;
}

export function ToolInputView({ input, without }: ToolInputProps<ToolInput>) {
  return typeof input === 'string' ? (
    <InputText input={input} without={without} />
  ) : (
    <DistantInput input={input} without={without} />
  );
}

function DistantInput({ input, without }: ToolInputProps<Exclude<ToolInput, string>>) {
  const resource = useResource(input);
  if (resource.kind === 'text') return <InputText input={resource.text} without={without} />;
  if (resource.kind === 'loading')
    return (
      <p class="hint">
        Loading…
        <Unfinished name={input.uri} />
      </p>
    );
  return (
    <p class="hint">
      {resource.kind === 'problem'
        ? resource.why
        : resource.kind === 'bytes'
          ? 'This is not text.'
          : 'Loading…'}
    </p>
  );
}

function InputText({ input: text, without = [] }: ToolInputProps<string>) {
  const fields = readFields(text);
  if (!fields || Object.keys(fields).length === 0)
    return text.trim() === '' || fields ? null : <LongText text={visibleText(text)} label="Arguments" />;
  const change = without.length > 0 ? undefined : changeIn(fields);
  const rest = Object.entries(fields).filter(
    ([name]) => !change?.names.includes(name) && !without.includes(name),
  );
  return (
    <>
      <dl class="fields">
        {rest.map(([name, value]) => (
          <div key={name}>
            <dt>{visibleText(name)}</dt>
            <dd>
              <Value name={name} value={value} />
            </dd>
          </div>
        ))}
      </dl>
      {change && <DiffView before={change.before} after={change.after} label="Change" />}
    </>
  );
}

const shortText = 120;

function Value({ name, value }: { readonly name: string; readonly value: unknown }) {
  const text = visibleText(typeof value === 'string' ? value : JSON.stringify(value, null, 2));
  if (text.length > shortText || text.includes('\n')) return <LongText text={text} label={name} />;
  return (
    <>
      <code>{text}</code>
      <EndMark name={`${name}: ${text}`} />
    </>
  );
}

/** Where somebody decides on it, it is shown from its beginning, and has to be read to its end. */
function LongText({ text, label }: { readonly text: string; readonly label: string }) {
  return useContext(ReadingContext) ? (
    <Whole text={text} label={label} />
  ) : (
    <Plain text={text} label={label} />
  );
}

export function readFields(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The names under which editing tools carry the text they look for and the text they put in its place. */
const changeNames = [
  ['oldText', 'newText'],
  ['old_string', 'new_string'],
  ['oldString', 'newString'],
  ['old_str', 'new_str'],
  ['original_content', 'new_content'],
  ['before', 'after'],
] as const;

/** Fields that a shown change repeats. */
export const repeatedNames: readonly string[] = [
  ...changeNames.flat(),
  'content',
  'contents',
  'text',
  'file_text',
  'new_text',
  'patch',
  'diff',
];

function changeIn(
  fields: Fields,
): { readonly names: readonly string[]; readonly before: string; readonly after: string } | undefined {
  for (const names of changeNames) {
    const [before, after] = names.map((name) => fields[name]);
    if (typeof before === 'string' && typeof after === 'string') return { names, before, after };
  }
  return undefined;
}
