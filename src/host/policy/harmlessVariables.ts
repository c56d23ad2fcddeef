// Environment variables that change how a program prints, never which program runs or what it reads.

/** Colours, width, language, and names by which agents tell programs that they run in an agent. */
const names =
  /^(?:NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|COLORTERM|TERM|COLUMNS|LINES|CI|LANG|LC_[A-Z]+|TZ|PYTHONUNBUFFERED|GIT_TERMINAL_PROMPT|CLAUDECODE|GEMINI_CLI|AGENT)$/;

/** These name a program. */
const pagers = /^(?:PAGER|GIT_PAGER|MANPAGER|GH_PAGER)$/;

export function isHarmlessVariable(name: string, value: string): boolean {
  if (pagers.test(name)) return value === 'cat' || value === '';
  // A path in a value such as TZ makes the program read that file.
  return names.test(name) && /^[\w.@:+-]*$/.test(value);
}
