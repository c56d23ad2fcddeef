import { describe, expect, test } from 'vitest';
import { filledTemplate } from './template.ts';

const values = { os: 'Linux', tasked: true, off: false, empty: '' };

describe('places in a text', () => {
  test.each([
    ['On {{os}}, {{ os }}', 'On Linux, Linux'],
    ['{{unknown}} stays', '{{unknown}} stays'],
    ['{% if tasked %}yes{% else %}no{% endif %}', 'yes'],
    ['{% if off %}yes{% else %}no{% endif %}', 'no'],
    ['{% if not off %}yes{% endif %}{% if empty %}never{% endif %}', 'yes'],
    ['{% if tasked %}a{% if off %}b{% else %}c{% endif %}d{% endif %}', 'acd'],
    ['{% if tasked %}open', '{% if tasked %}open'],
  ])('%s', (text, expected) => expect(filledTemplate(text, values)).toBe(expected));
});
