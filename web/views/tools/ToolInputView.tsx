// What a tool is called with: fields of a JSON object one by one, a change as a difference, anything else as text.
import { visibleText } from '../../../src/base/visibleText.ts';
import type { ToolInput } from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { isFields } from '../../client/incoming.ts';
import type { Fields } from '../../client/incoming.ts';
import { useResource } from '../../state/resources.ts';
import { DiffView } from '../diff/DiffView.tsx';
import { Plain } from '../parts/Plain.tsx';

export function ToolInputView({ input }: { readonly input: ToolInput }) {
  return typeof input === 'string' ? <InputText text={input} /> : <DistantInput input={input} />;
}

function DistantInput({ input }: { readonly input: Exclude<ToolInput, string> }) {
  const resource = useResource(input);
  if (resource.kind === 'text') return <InputText text={resource.text} />;
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

function InputText({ text }: { readonly text: string }) {
  const fields = readFields(text);
  if (!fields || Object.keys(fields).length === 0)
    return text.trim() === '' || fields ? null : <Plain text={visibleText(text)} label="Arguments" />;
  const change = changeIn(fields);
  const rest = Object.entries(fields).filter(([name]) => !change?.names.includes(name));
  return (
    <>
      <dl class="fields">
        {rest.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
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
  return text.length <= shortText && !text.includes('\n') ? (
    <code>{text}</code>
  ) : (
    <Plain text={text} label={name} />
  );
}

export function readFields(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
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

function changeIn(
  fields: Fields,
): { readonly names: readonly string[]; readonly before: string; readonly after: string } | undefined {
  for (const names of changeNames) {
    const [before, after] = names.map((name) => fields[name]);
    if (typeof before === 'string' && typeof after === 'string') return { names, before, after };
  }
  return undefined;
}
