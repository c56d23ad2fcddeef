// Colours code with what most languages share: comments, texts, numbers and keywords. A complete highlighter
// would be larger than all of the terminal client.
import type { Paint } from '../output.ts';
import { safe } from '../say.ts';

const maxLength = 60_000;

interface Language {
  /** How a comment to the end of the line begins. */
  readonly comment: '//' | '#' | '--';
  readonly keywords: ReadonlySet<string>;
}

const common = 'if else for while do break continue return true false null in';

function language(comment: Language['comment'], keywords: string): Language {
  return { comment, keywords: new Set(`${common} ${keywords}`.split(' ')) };
}

const script = language(
  '//',
  'const let var function class extends new this super import export from default async await yield of ' +
    'switch case throw try catch finally typeof instanceof delete void undefined interface type enum ' +
    'implements readonly private public protected static as satisfies declare namespace abstract',
);
const cLike = language(
  '//',
  'int long short char float double bool void struct union enum class public private protected static ' +
    'const unsigned signed sizeof switch case default goto new delete this namespace using template ' +
    'typename virtual override import package extends implements interface throws throw try catch ' +
    'finally final abstract boolean byte string func go defer range map chan select type var fn let mut ' +
    'pub impl trait match use mod crate self where async await move ref dyn loop val fun object when',
);
const python = language(
  '#',
  'def class import from as with lambda pass raise try except finally yield global nonlocal assert async ' +
    'await not and or is None True False elif del self begin end module require puts nil unless until then',
);
const shell = language(
  '#',
  'then fi done elif case esac function local export set unset exit echo cd select until',
);
const sql = language(
  '--',
  'select insert update delete from where and or not join left right inner outer on group by order having ' +
    'limit values into create table index view drop alter add primary key foreign references as distinct ' +
    'union all exists between like is begin commit rollback local function end then elseif repeat until nil',
);
const data = language('#', 'yes no on off');

const languages: { readonly [name: string]: Language | undefined } = {
  ...named(script, 'js jsx mjs cjs javascript ts tsx mts typescript json jsonc json5'),
  ...named(cLike, 'c h cpp cc hpp cs csharp java kotlin kt go rust rs swift scala dart php zig'),
  ...named(python, 'py python rb ruby elixir ex julia r'),
  ...named(shell, 'sh bash zsh fish shell console dockerfile makefile make'),
  ...named(sql, 'sql lua haskell hs'),
  ...named(data, 'yaml yml toml ini conf'),
};

function named(value: Language, names: string): { readonly [name: string]: Language } {
  return Object.fromEntries(names.split(' ').map((name) => [name, value]));
}

/** Code in colours; unknown languages and very long code stay plain. */
export function highlightCode(code: string, name: string, paint: Paint): string {
  const found = Object.hasOwn(languages, name.toLowerCase()) ? languages[name.toLowerCase()] : undefined;
  if (!found || code.length > maxLength) return safe(code);
  return [...code.matchAll(patternOf(found))]
    .map(([token, comment, text, number, word]) => {
      if (comment !== undefined) return eachLine(comment, paint.dim);
      if (text !== undefined) return eachLine(text, paint.green);
      if (number !== undefined) return paint.yellow(number);
      const isKeyword = word !== undefined && isKeywordOf(found, word);
      return isKeyword ? paint.magenta(word) : safe(token);
    })
    .join('');
}

/** SQL is written in capitals as often as not. */
function isKeywordOf({ keywords, comment }: Language, word: string): boolean {
  return keywords.has(comment === '--' ? word.toLowerCase() : word);
}

/** A comment, a text, a number, a word, or whatever else there is. */
function patternOf({ comment }: Language): RegExp {
  const line = comment === '#' ? String.raw`(?<![^\s])#[^\n]*` : `${comment}[^\\n]*`;
  const block = comment === '//' ? String.raw`|/\*[^]*?\*/` : '';
  const text = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\x60(?:[^\x60\\]|\\.)*\x60`;
  const number = String.raw`\b(?:0x[\da-fA-F]+|\d+(?:\.\d+)?)\b`;
  return new RegExp(`(${line}${block})|(${text})|(${number})|([\\p{L}_$][\\p{L}\\d_$]*)|[^]`, 'gu');
}

function eachLine(text: string, colour: (line: string) => string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : colour(safe(line))))
    .join('\n');
}
