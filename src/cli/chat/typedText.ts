// What the user has typed, as it is sent.

export interface TypedText {
  readonly text: string;
  /** A blank in front says that it is a message, whatever it looks like; the blank stays for the host. */
  readonly isPlain: boolean;
}

export function typedText(line: string): TypedText {
  const isPlain = /^[ \t]+\S/.test(line);
  return { text: isPlain ? line.trimEnd() : line.trim(), isPlain };
}

/** The answer to an exclamation mark with nothing behind it. */
export const steeringHint = 'Write what the agent should know behind the !, as in: !use the other file';
