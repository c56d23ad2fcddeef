import { expect, test } from 'vitest';
import { hideSecrets } from './trace.ts';

test.each([
  ['{"token":"abc"}', '{"token":"[hidden]"}'],
  ['{"a":{"apiKey": "x\\"y", "b":1}}', '{"a":{"apiKey": "[hidden]", "b":1}}'],
  ['{"Authorization":"Bearer x"}', '{"Authorization":"[hidden]"}'],
  ['{"env.OPENAI_API_KEY":"x"}', '{"env.OPENAI_API_KEY":"[hidden]"}'],
  ['{"inputTokens":12,"text":"the token is here"}', '{"inputTokens":12,"text":"the token is here"}'],
  ['{"name":"GITHUB_TOKEN", "value":"x"}', '{"name":"GITHUB_TOKEN","value":"[hidden]"}'],
  ['{"value":"Bearer x","name":"Authorization"}', '{"value":"[hidden]","name":"Authorization"}'],
  ['{"env":[{"name":"DSN","value":"x"}]}', '{"env":[{"name":"DSN","value":"[hidden]"}]}'],
  [
    '{"headers":{"X-Custom":"x"},"env":{"A":"b"}}',
    '{"headers":{"X-Custom":"[hidden]"},"env":{"A":"[hidden]"}}',
  ],
  ['{"env":"test"}', '{"env":"test"}'],
  ['{"value": "opus", "name": "Opus"}', '{"value": "opus", "name": "Opus"}'],
  [
    JSON.stringify({ text: '{ "providers": { "a": { "apiKey": "x" } } }' }),
    JSON.stringify({ text: '{ "providers": { "a": { "apiKey": "[hidden]" } } }' }),
  ],
  ['not JSON "password":"p"', 'not JSON "password":"[hidden]"'],
])('%s is traced as %s', (text, traced) => {
  expect(hideSecrets(text)).toBe(traced);
});
