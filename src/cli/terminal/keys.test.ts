import { expect, test } from 'vitest';
import { KeyDecoder } from './keys.ts';
import type { KeyPress } from './keys.ts';

const key = (name: string): KeyPress => ({ kind: 'key', name });
const text = (typed: string): KeyPress => ({ kind: 'text', text: typed });

test.each<[sent: string, keys: readonly KeyPress[]]>([
  ['hällo 👩‍👩‍👧', [text('hällo 👩‍👩‍👧')]],
  ['a\rb', [text('a'), key('enter'), text('b')]],
  ['\n\t\u007f\b\u0003', [key('ctrl-j'), key('tab'), key('backspace'), key('backspace'), key('ctrl-c')]],
  ['\u001b[A\u001bOB\u001b[1;5C\u001b[1;3D', [key('up'), key('down'), key('ctrl-right'), key('alt-left')]],
  ['\u001b[3~\u001b[H\u001b[Z', [key('delete'), key('home'), key('shift-tab')]],
  ['\u001b\r\u001bb\u001b\u007f', [key('alt-enter'), key('alt-b'), key('alt-backspace')]],
  ['\u001b[13;5u\u001b[13;2u\u001b[27u', [key('ctrl-enter'), key('shift-enter'), key('escape')]],
  ['\u001b[99;5u\u001b[97u\u001b[97;2u', [key('ctrl-c'), text('a'), text('A')]],
  ['\u001b[27;5;13~', [key('ctrl-enter')]],
  ['\u001b[?1;2c\u001b[5;10R', []],
  ['\u001b[200~one\r\ntwo\u001b[201~!', [{ kind: 'paste', text: 'one\ntwo' }, text('!')]],
  // Keys inside of a paste are text.
  ['\u001b[200~\u0003\u001b[A\u001b[201~', [{ kind: 'paste', text: '\u0003\u001b[A' }]],
])('%j', (sent, keys) => {
  expect(new KeyDecoder().push(sent)).toEqual(keys);
  // The same keys come out if every character comes alone.
  const one = new KeyDecoder();
  const single = Array.from(sent).flatMap((letter) => one.push(letter));
  const joined = single.reduce<KeyPress[]>((all, press) => {
    const last = all.at(-1);
    if (press.kind !== 'text' || last?.kind !== 'text') return [...all, press];
    return [...all.slice(0, -1), text(last.text + press.text)];
  }, []);
  expect(joined).toEqual(
    keys.reduce<KeyPress[]>((all, press) => {
      const last = all.at(-1);
      if (press.kind !== 'text' || last?.kind !== 'text') return [...all, press];
      return [...all.slice(0, -1), text(last.text + press.text)];
    }, []),
  );
});

test('an escape that nothing follows is a key', () => {
  const decoder = new KeyDecoder();
  expect([decoder.push('\u001b'), decoder.isWaiting, decoder.flush()]).toEqual([[], true, [key('escape')]]);
  expect([decoder.push('\u001b\u001b'), decoder.flush()]).toEqual([[key('escape')], [key('escape')]]);
  expect([decoder.isWaiting, decoder.flush()]).toEqual([false, []]);
});

test.each(['\u0003', '\u001b[99;5u'])('a paste whose end is lost is ended by Ctrl-C (%j)', (interrupt) => {
  const decoder = new KeyDecoder();
  decoder.push('\u001b[200~one\rtwo');
  // Without a pause it belongs to the paste.
  expect([decoder.push('\u0003'), decoder.isPasting]).toEqual([[], true]);
  expect([decoder.flush(), decoder.push('x')]).toEqual([[], []]);
  expect([decoder.flush(), decoder.push(interrupt)]).toEqual([
    [],
    [{ kind: 'paste', text: 'one\ntwo\u0003x' }, key('ctrl-c')],
  ]);
  expect(decoder.push('a')).toEqual([text('a')]);
});

test('a paste of 5 MB that comes in small pieces is read once, not again with each piece', () => {
  const decoder = new KeyDecoder();
  const piece = `${'x'.repeat(511)}\r`;
  decoder.push('\u001b[200~');
  for (let at = 0; at < 10_240; at += 1) decoder.push(piece);
  expect(decoder.isWaiting).toBe(false);
  const [pasted, ...rest] = decoder.push('\u001b[201~a');
  expect(rest).toEqual([text('a')]);
  const wanted = `${'x'.repeat(511)}\n`.repeat(10_240);
  expect(pasted?.kind === 'paste' && pasted.text === wanted).toBe(true);
});

test('a paste that is not marked stays one, also where a line is longer than the buffer of the terminal', () => {
  const decoder = new KeyDecoder();
  const long = 'x'.repeat(9000);
  const sent = `first\r${long}\rlast\r`;
  const reads = [0, 1, 2].map((at) => sent.slice(at * 4095, (at + 1) * 4095));
  const presses = [...reads, '\r'].flatMap((read) => decoder.push(read));
  expect(presses.map(({ kind }) => kind)).toEqual(['paste', 'paste', 'paste', 'key']);
  expect(presses.map((press) => ('text' in press ? press.text : '')).join('')).toBe(
    sent.replaceAll('\r', '\n'),
  );
});

test('a long line that comes with its end is sent, and the line behind it makes a paste of both', () => {
  const long = 'x'.repeat(9000);
  const kindsOf = (...reads: readonly string[]) => {
    const decoder = new KeyDecoder();
    return [...new Set(reads.flatMap((read) => decoder.push(read)).map((press) => JSON.stringify(press)))];
  };
  expect(kindsOf(`${long}\r`).at(-1)).toBe(JSON.stringify(key('enter')));
  expect(kindsOf(long.slice(1), 'x\r').at(-1)).toBe(JSON.stringify(key('enter')));
  expect(kindsOf(long, 'x\rlast').join('')).not.toContain('enter');
});

test('lines that come in one read are a paste, also where the terminal does not mark it', () => {
  const lines = Array.from({ length: 200 }, (_, at) => `line ${at}`);
  const paste = (pasted: string): KeyPress => ({ kind: 'paste', text: pasted });
  expect(new KeyDecoder().push(`${lines.join('\r')}\r`)).toEqual([paste(`${lines.join('\n')}\n`)]);
  expect(new KeyDecoder().push('a\tb\r\nc\r\n')).toEqual([paste('a\tb\nc\n')]);
  expect(new KeyDecoder().push('a\r\r')).toEqual([text('a'), key('enter'), key('enter')]);
  expect(new KeyDecoder().push('a\rb\r\u0003').at(-1)).toEqual(key('ctrl-c'));
});
