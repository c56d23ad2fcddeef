import { expect, test } from 'vitest';
import { contentUri, namelessUri, readContentUri } from './content.ts';
import type { ContentPlace } from './content.ts';
import { readPictureUri } from './images.ts';

const place: ContentPlace = {
  session: 's/1',
  chat: 'c d',
  turn: 't#%',
  tool: 'functions.x:0',
  from: 'result',
  index: 3,
  side: 'before',
};

test('an address leads to its text, whatever the ids and the path are', () => {
  for (const path of ['/w/a b.ts', '/picture/a/b/c/d', '//x', '/', '/w/ü?#%2F.txt']) {
    const uri = contentUri(place, path);
    expect([readContentUri(uri), readContentUri(new URL(uri).href)], path).toEqual([place, place]);
    expect(readPictureUri(uri)).toBeUndefined();
    expect(namelessUri(uri)).toBe('parley-content:/s%2F1/c%20d/t%23%25/functions.x%3A0/result/3/before');
    expect(readContentUri(namelessUri(uri))).toEqual(place);
  }
});

test('an address has the path of its file on both sides: tabs take name and language from it', () => {
  for (const side of ['before', 'after'] as const) {
    const { pathname } = new URL(contentUri({ ...place, side }, '/w/ü a.ts'));
    expect(decodeURIComponent(pathname)).toBe('/w/ü a.ts');
  }
});

test('an address that leads nowhere is none', () => {
  for (const uri of [
    'parley-content:/a.txt',
    'parley-content:/a.txt?',
    'parley-content:/a?cy9j',
    'file:///a',
  ])
    expect(readContentUri(uri), uri).toBeUndefined();
});
