// Types for shell start-up files, and the function that fills in their templates.

/** The start-up files by name, and the arguments and variables that make the shell read them. */
export interface ShellStart {
  readonly files: { readonly [name: string]: string };
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
}

export interface ShellFacts {
  /** Contains only the start-up files, which remove it after they were read. */
  readonly directory: string;
  /** Prefix of every report. It is secret, so that other programs cannot forge reports. */
  readonly mark: string;
  /** Where the user's own files are. */
  readonly home: string;
}

/**
 * Replaces the placeholders of a script by quoted values. `@{` stands for `${`, which our template
 * strings cannot contain.
 */
export function fillScript(script: string, { directory, mark, home }: ShellFacts): string {
  const values: { readonly [name: string]: string } = { DIRECTORY: directory, MARK: mark, USERS: home };
  return script
    .replaceAll('@{', '${')
    .replace(/\b(DIRECTORY|MARK|USERS)\b/g, (name) => quoted(values[name] ?? ''));
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
