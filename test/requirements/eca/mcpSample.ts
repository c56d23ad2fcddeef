// A small server of tools in plain JavaScript, as the recorded client adds one: no tools, one
// prompt, no resources.

export const mcpSample = `
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const prompt = { name: 'my-prompt', description: 'desc', arguments: [{ name: 'some-arg-1', description: 'd', required: true }] };
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answers = {
    initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {}, prompts: {}, resources: {} }, serverInfo: { name: 'sample', version: '1' } }),
    'tools/list': () => ({ tools: [] }),
    'prompts/list': () => ({ prompts: [prompt] }),
    'prompts/get': () => ({ messages: [{ role: 'user', content: { type: 'text', text: 'say The prompt got ' + params.arguments['some-arg-1'] } }] }),
    'resources/list': () => ({ resources: [] }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
    ping: () => ({}),
  };
  if (answers[method]) send({ id, result: answers[method]() });
  else send({ id, error: { code: -32601, message: 'Method not found' } });
}).on('close', () => process.exit(0));
`;
