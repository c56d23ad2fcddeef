// The smallest agent that does the same work as ours: reads the stream of a model over HTTP, joins what
// arrives together, writes it to a journal before it sends it, syncs the journal before a request and at
// the end, and reads files for its model. It runs by `node -e`, with the address of the model in MODEL_URL
// and the journal in JOURNAL.
export const floorAgent = `
const fs = require('node:fs'), http = require('node:http');
const journal = fs.openSync(process.env.JOURNAL, 'a');
const keepAlive = new http.Agent({ keepAlive: true });
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const store = (entry) => fs.writeSync(journal, JSON.stringify(entry) + '\\n');
const sync = () => new Promise((resolve) => fs.fdatasync(journal, resolve));
const chats = new Map();
let rest = '', sessions = 0;
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n');
  rest = lines.pop();
  for (const line of lines) hear(JSON.parse(line));
});
process.stdin.on('end', () => process.exit(0));
async function hear({ id, method, params }) {
  if (method === 'initialize') return send({ id, result: { protocolVersion: 1 } });
  if (method === 'session/new') {
    const sessionId = 's' + (sessions += 1);
    chats.set(sessionId, { cwd: params.cwd, messages: [] });
    store({ session: sessionId });
    await sync();
    return send({ id, result: { sessionId } });
  }
  if (method !== 'session/prompt') return;
  const { cwd, messages } = chats.get(params.sessionId);
  messages.push({ role: 'user', content: params.prompt[0].text });
  store(messages.at(-1));
  await sync();
  for (;;) {
    const { text, calls } = await ask(params.sessionId, messages);
    messages.push({ role: 'assistant', content: text, ...(calls.length > 0 ? { tool_calls: calls } : {}) });
    if (calls.length === 0) break;
    for (const call of calls) {
      store({ call });
      await sync();
      const content = await fs.promises.readFile(cwd + '/' + JSON.parse(call.function.arguments).path, 'utf8');
      messages.push({ role: 'tool', tool_call_id: call.id, content });
      send({ method: 'session/update', params: { sessionId: params.sessionId, update: { sessionUpdate: 'tool_call_update', toolCallId: call.id, status: 'completed' } } });
    }
    store(messages.at(-1));
    await sync();
  }
  store({ ended: true });
  await sync();
  send({ id, result: { stopReason: 'end_turn' } });
}
function ask(sessionId, messages) {
  return new Promise((resolve) => {
    const url = process.env.MODEL_URL + '/chat/completions';
    const request = http.request(url, { method: 'POST', agent: keepAlive, headers: { 'content-type': 'application/json' } }, (response) => {
      let held = '', text = '';
      const calls = [];
      response.setEncoding('utf8').on('data', (chunk) => {
        const events = (held + chunk).split('\\n\\n');
        held = events.pop();
        let added = '';
        for (const event of events) {
          if (event === 'data: [DONE]') continue;
          const { delta } = JSON.parse(event.slice(6)).choices[0];
          if (delta.content) added += delta.content;
          if (delta.tool_calls) calls.push(...delta.tool_calls);
        }
        if (added === '') return;
        text += added;
        store({ sessionId, added });
        send({ method: 'session/update', params: { sessionId, update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: added } } } });
      }).on('end', () => resolve({ text, calls }));
    });
    request.end(JSON.stringify({ model: 'm', stream: true, messages }));
  });
}
`;
