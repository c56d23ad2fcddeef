// Rules: Markdown files whose front matter says for which agents, models and files they are.
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { ProjectRule } from '../../host/settings/projectKnowledge.ts';
import { frontMatter, nonEmptyText, textsIn } from './frontMatter.ts';
import { untrustedMark } from './texts.ts';
import type { KnowledgeSource, Texts } from './texts.ts';

/** Each file once, in the order given. */
export async function rulesIn(
  sources: readonly KnowledgeSource[],
  texts: Texts,
): Promise<readonly ProjectRule[]> {
  const each = [
    ...new Map(sources.toReversed().map((source) => [source.path, source])).values(),
  ].toReversed();
  const read = await Promise.all(each.map(async (source) => ruleOf(source, await texts.read(source))));
  return read.flatMap((rule) => rule ?? []);
}

function ruleOf(source: KnowledgeSource, text: string | undefined): ProjectRule | undefined {
  if (text === undefined) return undefined;
  const { path } = source;
  const { fields, body } = frontMatter(text);
  if (body === '') return undefined;
  const enforce = textsIn(fields['enforce']).filter((word) => word === 'read' || word === 'modify');
  const globs = textsIn(fields['paths'] ?? fields['globs'] ?? fields['path']);
  return {
    // Long names of folders do not belong into what a model repeats.
    id: createHash('sha256').update(path).digest('hex').slice(0, 8),
    name: nonEmptyText(fields['name']) ?? basename(path).replace(/\.\w+$/, ''),
    path,
    text: body,
    globs,
    ...untrustedMark(source),
    agents: textsIn(fields['agent'] ?? fields['agents']),
    models: textsIn(fields['model'] ?? fields['models']),
    enforce: globs.length > 0 ? enforce : [],
  };
}
