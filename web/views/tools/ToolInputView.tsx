// The input of a tool call: a JSON object as fields, a text replacement as a diff, anything else as text.
import { useContext } from 'preact/hooks';
import { visibleText } from '../../../src/base/visibleText.ts';
import type { ToolInput } from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import type { JsonObject } from '../../../client/connection/incoming.ts';
import { ReadTrackingContext } from '../../state/readTracking.ts';
import { useResource } from '../../state/resources.ts';
import { EndMarker, UnreadMarker } from '../ask/ReadMarkers.tsx';
import { FullText } from '../ask/FullText.tsx';
import { DiffView } from '../diff/DiffView.tsx';
import { parseObject } from '../../text/parseObject.ts';
import { PlainText } from '../parts/PlainText.tsx';

interface ToolInputProps<Input> {
  readonly input: Input;
  /** Fields to leave out. */
  readonly without?: readonly string[] | undefined;
}

export function ToolInputView({ input, without }: ToolInputProps<ToolInput>) {
  return typeof input === 'string' ? (
    <InputText input={input} without={without} />
  ) : (
    <ReferencedInput input={input} without={without} />
  );
}

function ReferencedInput({ input, without }: ToolInputProps<Exclude<ToolInput, string>>) {
  const resource = useResource(input);
  if (resource.kind === 'text') return <InputText input={resource.text} without={without} />;
  if (resource.kind === 'loading')
    return (
      <p class="note">
        Loading…
        <UnreadMarker name={input.uri} />
      </p>
    );
  return <p class="note">{resource.kind === 'problem' ? resource.reason : 'The input is not text.'}</p>;
}

function InputText({ input: text, without = [] }: ToolInputProps<string>) {
  const fields = parseObject(text);
  if (!fields || Object.keys(fields).length === 0)
    return text.trim() === '' || fields ? null : <LongText text={visibleText(text)} label="Arguments" />;
  const change = without.length > 0 ? undefined : changeIn(fields);
  const rest = Object.entries(fields).filter(
    ([name]) => !change?.names.includes(name) && !without.includes(name),
  );
  return (
    <>
      {rest.length > 0 && (
        <dl class="fields" dir="ltr">
          {rest.map(([name, value]) => (
            <div key={name}>
              <dt>{visibleText(name)}</dt>
              <dd>
                <Value name={name} value={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {change && <DiffView before={change.before} after={change.after} label="Change" />}
    </>
  );
}

const maxInlineLength = 120;

function Value({ name, value }: { readonly name: string; readonly value: unknown }) {
  const text = visibleText(typeof value === 'string' ? value : JSON.stringify(value, null, 2));
  if (text.length > maxInlineLength || text.includes('\n')) return <LongText text={text} label={name} />;
  return (
    <>
      <code>{text}</code>
      <EndMarker name={`${name}: ${text}`} />
    </>
  );
}

/** In an approval the text is shown from its beginning and has to be read to its end. */
function LongText({ text, label }: { readonly text: string; readonly label: string }) {
  return useContext(ReadTrackingContext) ? (
    <FullText text={text} label={label} />
  ) : (
    <PlainText text={text} label={label} />
  );
}

/** Argument names of editing tools for the text to replace and its replacement. */
const changeNames = [
  ['oldText', 'newText'],
  ['old_string', 'new_string'],
  ['oldString', 'newString'],
  ['old_str', 'new_str'],
  ['original_content', 'new_content'],
  ['before', 'after'],
] as const;

/** Arguments that repeat a diff that is shown beside them. */
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
  fields: JsonObject,
): { readonly names: readonly string[]; readonly before: string; readonly after: string } | undefined {
  for (const names of changeNames) {
    const [before, after] = names.map((name) => fields[name]);
    if (typeof before === 'string' && typeof after === 'string') return { names, before, after };
  }
  return undefined;
}
