// What the title of a command leaves out, in words. Pure.

/**
 * The title of a command that is asked about, behind what it leaves out. That is said first, because a narrow
 * panel shows only the beginning of a title.
 */
export function titleWithHiddenPart(title: string, command: string): string {
  const hidden = hiddenPart(title, command);
  return hidden === '' ? title : `${hidden}: ${title}`;
}

function hiddenPart(title: string, command: string): string {
  if (!title.startsWith(prompt)) return '';
  const shown = title.slice(prompt.length);
  const line = command.replaceAll(/\s+/g, ' ').trim();
  // A command may end in dots itself, also behind a change of the folder, which titles leave out.
  const isCut = shown.endsWith(cut) && shown !== line && !line.endsWith(` && ${shown}`);
  const characters = line.length - shown.length + (isCut ? cut.length : 0);
  // A title is one line, so whatever stands in another line is not seen as such.
  const lines = command.trim().split(/\r?\n/).length - 1;
  return [counted(lines, 'line'), counted(characters, 'character')].filter((part) => part !== '').join(', ');
}

const prompt = '$ ';
const cut = '...';

function counted(count: number, what: string): string {
  if (count <= 0) return '';
  return `${count.toLocaleString('en-US')} more ${what}${count === 1 ? '' : 's'}`;
}
