import { expect, test } from 'vitest';
import { paintFor } from '../../output.ts';
import { ChoiceList } from '../../terminal/choiceList.ts';
import { permissionChoices } from './sessionChoices.ts';

test('of the permission modes full is red, chosen or not', () => {
  const paint = { ...paintFor({ isTTY: false }), red: (text: string) => `RED ${text}` };
  const list = new ChoiceList(permissionChoices({}));
  const room = { paint, width: 100, most: 9 };
  const red = () => [list.lines(room), list.wholeLines(room)].map((lines) => lines.filter(isRed));
  const isRed = (line: string) => line.includes('RED');
  expect(red()).toEqual([[expect.stringMatching(/^ {2}RED full/)], [expect.stringMatching(/^ {2}RED full/)]]);
  list.press('up');
  expect(red()).toEqual([[expect.stringMatching(/^❯ RED full/)], [expect.stringMatching(/^❯ RED full/)]]);
});
