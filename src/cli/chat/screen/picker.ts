// A list in place of the approval, filtered by what is typed.
import type { Paint } from '../../output.ts';
import { boxLines, boxRoom } from '../../terminal/box.ts';
import { ChoiceList } from '../../terminal/choiceList.ts';
import type { ListedChoice } from '../../terminal/choiceList.ts';

export class Picker {
  readonly #title: string;
  readonly #all: readonly ListedChoice[];
  readonly choose: (choice: ListedChoice) => void;
  #list: ChoiceList<ListedChoice>;

  constructor(title: string, all: readonly ListedChoice[], choose: (choice: ListedChoice) => void) {
    this.#title = title;
    this.#all = all;
    this.choose = choose;
    this.#list = new ChoiceList(all);
  }

  get chosen(): ListedChoice | undefined {
    return this.#list.chosen;
  }

  /** Whether the key moved the mark. */
  press(key: string): boolean {
    return this.#list.press(key);
  }

  filter(typed: string): void {
    const word = typed.toLowerCase();
    const matches = ({ label, note = '', id }: ListedChoice) =>
      `${label} ${note} ${id}`.toLowerCase().includes(word);
    this.#list = new ChoiceList(this.#all.filter(matches));
  }

  lines({ paint, width, most }: { paint: Paint; width: number; most: number }): readonly string[] {
    const items = this.#list.lines({
      paint,
      width: boxRoom(width),
      most: Math.max(3, Math.min(12, most - 2)),
    });
    const content = items.length > 0 ? items : [paint.dim('Nothing matches.')];
    return boxLines(content, { paint, width, title: this.#title });
  }
}
