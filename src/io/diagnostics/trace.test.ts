import { expect, test } from 'vitest';
import { hideSecrets } from './trace.ts';

test.each([
  ['{"token":"abc"}', '{"token":"[hidden]"}'],
  ['{"a":{"apiKey": "x\\"y", "b":1}}', '{"a":{"apiKey": "[hidden]", "b":1}}'],
  ['{"Authorization":"Bearer x"}', '{"Authorization":"[hidden]"}'],
  ['{"env.OPENAI_API_KEY":"x"}', '{"env.OPENAI_API_KEY":"[hidden]"}'],
  ['{"inputTokens":12,"text":"the token is here"}', '{"inputTokens":12,"text":"the token is here"}'],
  ['not JSON "password":"p"', 'not JSON "password":"[hidden]"'],
])('%s is traced as %s', (text, traced) => {
  expect(hideSecrets(text)).toBe(traced);
});
