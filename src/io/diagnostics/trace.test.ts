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
  [
    '{"url":"https://me:x@host/y?api_key=x&a=b"}',
    '{"url":"https://me:[hidden]@host/y?api_key=[hidden]&a=b"}',
  ],
  [
    '{"args":["--api-key=x","--token","x","-v"]}',
    '{"args":["--api-key=[hidden]","--token","[hidden]","-v"]}',
  ],
  ['{"headers":[["Authorization","x"]]}', '{"headers":[["[hidden]","[hidden]"]]}'],
  ['{"http_headers":{"a":"x"},"cookie":"x"}', '{"http_headers":{"a":"[hidden]"},"cookie":"[hidden]"}'],
  ['{"credentials":{"a":["x"],"n":1}}', '{"credentials":{"a":["[hidden]"],"n":1}}'],
  ['{"path":"providers.a.apiKey","value":"x"}', '{"path":"providers.a.apiKey","value":"[hidden]"}'],
  ['{"keys":{"auth":"x"}}', '{"keys":{"auth":"[hidden]"}}'],
  ['{"text":"Authorization: Bearer abc1234567"}', '{"text":"Authorization: Bearer [hidden]"}'],
  ['{"\\u0061piKey":"x"}', '{"apiKey":"[hidden]"}'],
  ['{"text":"the bearer of the ring"}', '{"text":"the bearer of the ring"}'],
  ['{"args":["--keyboard","x"],"tokens":12}', '{"args":["--keyboard","x"],"tokens":12}'],
  [
    JSON.stringify({ text: '{ "mcpServers": { "a": { "env": { "DSN": "x" } } } }' }),
    JSON.stringify({ text: '{ "mcpServers": { "a": { "env": { "DSN": "[hidden]" } } } }' }),
  ],
  ['not JSON "password":"p"', 'not JSON "password":"[hidden]"'],
])('%s is traced as %s', (text, traced) => {
  expect(hideSecrets(text)).toBe(traced);
});

test('a long text takes no longer than its length', () => {
  for (const piece of ['a', '"a', '://', '&a', '--a', ' --', '"env":{', 'bearer ', '\\"']) {
    const text = piece.repeat(200_000);
    expect(hideSecrets(text)).toBe(text);
  }
});
