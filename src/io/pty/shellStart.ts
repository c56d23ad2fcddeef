// What the start of a shell is made of, and how a script for it is written down.

/** The files a shell reads at its start, by name, and how it is told to. */
export interface ShellStart {
  readonly files: { readonly [name: string]: string };
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
}

export interface ShellFacts {
  /** Holds the files and nothing else; they remove it when they have been read. */
  readonly directory: string;
  /** Begins every word we say; whoever does not know it cannot speak for us. */
  readonly mark: string;
  /** Where the user's own files are. */
  readonly home: string;
}

/** Puts the facts into a script as words of the shell. `@{` stands for the shell's own braces, which our templates would take for theirs. */
export function filled(script: string, { directory, mark, home }: ShellFacts): string {
  const words: { readonly [name: string]: string } = { DIRECTORY: directory, MARK: mark, USERS: home };
  return script
    .replaceAll('@{', '${')
    .replace(/\b(DIRECTORY|MARK|USERS)\b/g, (name) => quoted(words[name] ?? ''));
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
