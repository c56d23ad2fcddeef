// Lets the user choose one of a list, before anything else is on the screen.
import { paintFor } from '../output.ts';
import { boxLines, boxRoom } from '../terminal/box.ts';
import { ChoiceList } from '../terminal/choiceList.ts';
import type { ListedChoice } from '../terminal/choiceList.ts';
import { LiveRegion } from '../terminal/liveRegion.ts';
import { RawTerminal } from '../terminal/rawTerminal.ts';

/** Undefined if the user leaves without a choice. */
export function pickOne(title: string, all: readonly ListedChoice[]): Promise<ListedChoice | undefined> {
  const paint = paintFor(process.stdout);
  let word = '';
  let list = new ChoiceList(all);
  return new Promise((resolve) => {
    const draw = () => {
      const { room: width, rows } = terminal;
      const lines = list.lines({ paint, width: boxRoom(width), most: Math.max(3, rows - 6) });
      const found = lines.length > 0 ? lines : [paint.dim('Nothing matches.')];
      const footer = word === '' ? 'type to search · enter opens · esc leaves' : `search: ${word}`;
      region.draw({ lines: boxLines(found, { paint, width, title, footer }) });
    };
    const end = (choice: ListedChoice | undefined) => {
      region.clear();
      terminal.close();
      resolve(choice);
    };
    const search = (text: string) => {
      word = text;
      const matches = ({ label, note = '', id }: ListedChoice) =>
        `${label} ${note} ${id}`.toLowerCase().includes(text.toLowerCase());
      list = new ChoiceList(all.filter(matches));
    };
    const terminal = new RawTerminal({
      pressed: (press) => {
        if (press.kind === 'text') search(word + press.text);
        else if (press.kind === 'key' && press.name === 'backspace') search(word.slice(0, -1));
        else if (press.kind === 'key' && press.name === 'enter' && list.chosen) return end(list.chosen);
        else if (press.kind === 'key' && ['escape', 'ctrl-c', 'ctrl-d'].includes(press.name))
          return end(undefined);
        else if (press.kind === 'key') list.press(press.name);
        return draw();
      },
      resized: draw,
      resumed: draw,
    });
    const region = new LiveRegion(() => terminal);
    terminal.open();
    draw();
  });
}
