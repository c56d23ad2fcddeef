import { expect, test } from 'vitest';
import { largestPicture, pictureBytes, pictureOf } from './answerImage.ts';

const png = 'iVBORw0KGgoAAAANSUhEUg==';

test.each<[what: string, given: string, expected: object]>([
  ['a PNG', png, { mediaType: 'image/png', data: png }],
  [
    'a JPEG, whatever it was called',
    '/9j/4AAQSkZJRg==',
    { mediaType: 'image/jpeg', data: '/9j/4AAQSkZJRg==' },
  ],
  ['a GIF', 'R0lGODlhAQABAAAAACw=', { mediaType: 'image/gif', data: 'R0lGODlhAQABAAAAACw=' }],
  ['a WebP', 'UklGRiQAAABXRUJQVlA4', { mediaType: 'image/webp', data: 'UklGRiQAAABXRUJQVlA4' }],
  [
    'a picture with line breaks in it',
    `${png.slice(0, 8)}\r\n${png.slice(8)}\n`,
    { mediaType: 'image/png', data: png },
  ],
  [
    'a drawing that can carry script',
    Buffer.from('<svg onload="alert(1)"/>').toString('base64'),
    { problem: expect.stringContaining('none that can be shown') },
  ],
  [
    'a page that begins like a picture',
    `${png.slice(0, 16)}<script>`,
    { problem: expect.stringContaining('none that can be shown') },
  ],
  [
    'a container that is no picture',
    Buffer.from('RIFF\x24\0\0\0WAVEfmt ').toString('base64'),
    { problem: expect.stringContaining('none that can be shown') },
  ],
  ['garbage', '!!!!', { problem: expect.stringContaining('none that can be shown') }],
  ['nothing', '', { problem: expect.stringContaining('none that can be shown') }],
  [
    'one that is too large',
    png.slice(0, 20) + 'A'.repeat((largestPicture / 3) * 4),
    { problem: 'A picture of 11 MB came, which is more than the 10 MB that are kept.' },
  ],
  [
    'one that is far too large',
    'A'.repeat(largestPicture * 2 + 4),
    { problem: expect.stringContaining('of 16 MB') },
  ],
])('%s', (_, given, expected) => {
  expect(pictureOf(given)).toEqual(expected);
});

test('the bytes of a base64 text', () =>
  expect(['', 'QQ==', 'QUI=', 'QUJD'].map(pictureBytes)).toEqual([0, 1, 2, 3]));
