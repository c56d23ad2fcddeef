// Chats as a client manages them, over a connection in memory.
import { afterEach, describe, expect, test } from 'vitest';
import { present } from '../../../base/present.ts';
import { content, ecaClient, greetedClient } from '../../../../test/kit/ecaClient.ts';
import type { EcaClient } from '../../../../test/kit/ecaClient.ts';
import { rig, testClient } from '../../../../test/kit/host.ts';
import type { Rig } from '../../../../test/kit/host.ts';
import { SharedTables, sharedHost } from '../../../../test/kit/sharedHosts.ts';
import { reopened } from '../../../../test/kit/testStore.ts';
import { workspace } from '../../../../test/kit/workspace.ts';

let made: Rig;
let client: EcaClient;
const others: EcaClient[] = [];

afterEach(async () => {
  await Promise.all(others.splice(0).map((other) => other.close()));
  await client.close();
  await made.close();
});

/** A client with a chat of as many turns as there are messages. */
async function chatOf(...messages: readonly string[]): Promise<void> {
  made = await rig();
  made.scripts.set('*', async (turn) =>
    turn.report({
      kind: 'text.added',
      item: turn.session.turn,
      channel: 'answer',
      text: `re ${turn.message.text}`,
    }),
  );
  client = ecaClient(made.host);
  await client.request('initialize', { workspaceFolders: [{ uri: 'file:///w', name: 'w' }] });
  for (const message of messages) {
    await client.request('chat/prompt', { chatId: 'c', message });
    await client.until(content('progress', 'finished'));
    client.news();
  }
}

/** Another client that has the chat open and has heard all of it. */
async function onlooker(name?: string): Promise<EcaClient> {
  const other = await greetedClient(made.host, present({ name }));
  others.push(other);
  await other.request('chat/open', { chatId: 'c' });
  other.news();
  return other;
}

const contentIds = () =>
  made.host.opened('c')?.state.chats['c']?.turns.map(({ message }) => message.id) ?? [];
const config =
  'config/updated {"chatId":"c","chat":{"selectModel":"script/one","variants":[],"selectVariant":null}}';
const trust = (given: boolean) => `config/updated {"chatId":"c","chat":{"selectTrust":${String(given)}}}`;
const selection = { model: 'script/one', agent: 'script', variant: null, variants: [], trust: false };

describe('opening', () => {
  test('tells everything before the answer', async () => {
    await chatOf('one', 'two');
    await client.request('chat/update', { chatId: 'c', title: 'My Title' });
    client.news();
    const { result } = await client.request('chat/open', { chatId: 'c' });
    expect(client.news()).toEqual([
      'chat/cleared {"chatId":"c","messages":true}',
      'chat/opened {"chatId":"c","title":"My Title"}',
      'user text "\\none"',
      'assistant text "\\nre one"',
      'user text "\\ntwo"',
      'assistant text "\\nre two"',
      'system metadata',
      config,
      trust(false),
      expect.stringContaining('result'),
    ]);
    expect(result).toEqual({
      found: true,
      chatId: 'c',
      title: 'My Title',
      selection,
      meta: { total: 4, returned: 4, beforeCursor: null, afterCursor: null, compactionCursor: null },
    });
  });

  test('a client that comes later, also after a new start of the host, sees it too', async () => {
    await chatOf('one');
    await client.close();
    await made.close();
    made = await rig(await reopened(made.store));
    client = ecaClient(made.host);
    await client.request('chat/open', { chatId: 'c' });
    expect(client.news().slice(2, 4)).toEqual(['user text "\\none"', 'assistant text "\\nre one"']);
  });

  test('pages: the newest first, older ones by cursor, and a cursor that is gone', async () => {
    await chatOf('one', 'two', 'three');
    const [, , third] = contentIds();
    const { result } = await client.request('chat/open', { chatId: 'c', limit: 2 });
    expect(client.news().filter((line) => line.includes(' text '))).toEqual([
      'user text "\\nthree"',
      'assistant text "\\nre three"',
    ]);
    expect((result as { meta: unknown }).meta).toEqual({
      total: 6,
      returned: 2,
      beforeCursor: third,
      afterCursor: null,
      compactionCursor: null,
    });
    const older = await client.request('chat/history', { chatId: 'c', before: third, limit: 3 });
    expect(older.result).toMatchObject({
      contents: [
        { role: 'assistant', content: { text: '\nre one' } },
        { role: 'user', content: { text: '\ntwo' } },
        { role: 'assistant', content: { text: '\nre two' } },
      ],
      meta: { total: 6, returned: 3 },
    });
    const newer = await client.request('chat/history', { chatId: 'c', after: third });
    expect(newer.result).toMatchObject({
      contents: [{ role: 'assistant', content: { text: '\nre three' } }],
      meta: { returned: 1, afterCursor: null },
    });
    const gone = await client.request('chat/history', { chatId: 'c', before: 'bogus' });
    expect(gone.error).toMatchObject({ code: 'cursor_expired' });
  });
});

describe('listing', () => {
  test('chats of the workspace that were written to, newest first', async () => {
    await chatOf('one');
    await made.create('never-used');
    const elsewhere = made.host.create({ id: 'elsewhere', roots: ['/other'] }, testClient);
    if ('rejected' in elsewhere) throw new Error(elsewhere.message);
    elsewhere.dispatch(
      { kind: 'startTurn', chat: 'elsewhere', turn: 't', message: { id: 'm', text: 'x' } },
      testClient,
    );
    await elsewhere.settled();
    await client.request('chat/prompt', { chatId: 'd', message: 'two' });
    await client.until(content('progress', 'finished'));
    const { result } = await client.request('chat/list', { sortBy: 'updatedAt' });
    const row = {
      title: null,
      status: 'idle',
      messageCount: 2,
      createdAt: expect.any(Number) as number,
      updatedAt: expect.any(Number) as number,
      model: 'script/one',
    };
    expect(result).toEqual({
      chats: [
        { id: 'd', ...row },
        { id: 'c', ...row },
      ],
    });
    expect((await client.request('chat/list', { limit: 1, sortBy: 'createdAt' })).result).toMatchObject({
      chats: [{ id: 'd' }],
    });
  });
});

describe('changing', () => {
  test('update names the chat before it answers', async () => {
    await chatOf('one');
    await client.request('chat/update', { chatId: 'c', title: 'Renamed' });
    expect(client.news()).toEqual(['system metadata', 'result {}']);
    const endless = await client.request('chat/update', { chatId: 'c', title: 'x'.repeat(1_001) });
    expect(endless.error).toMatchObject({ message: 'A title has at most 1000 characters.' });
    expect(made.host.summary('c')?.title).toBe('Renamed');
  });

  test('trust is an option of the session that everybody else is told of', async () => {
    await chatOf('one');
    const other = await onlooker();
    await client.request('chat/update', { chatId: 'c', trust: true });
    expect(client.news()).toEqual(['result {}']);
    await other.until(({ method }) => method === 'config/updated');
    expect(other.news()).toEqual([trust(true)]);
    expect(made.host.opened('c')?.state.options).toEqual({ trust: true });
    await client.request('chat/prompt', { chatId: 'c', message: 'two', trust: false });
    expect(made.host.opened('c')?.state.options).toEqual({ trust: false });
    await client.until(content('progress', 'finished'));
  });

  test('clear empties the chat', async () => {
    await chatOf('one', 'two');
    await client.request('chat/clear', { chatId: 'c', messages: true });
    expect(client.news()).toEqual([
      'chat/cleared {"chatId":"c","messages":true}',
      'system usage 0',
      'result {}',
    ]);
    expect(contentIds()).toEqual([]);
  });

  test('rollback takes back what tools have changed in files, newest first, and tells what it could not', async () => {
    const position = workspace({ a: 'three', b: 'mine' });
    made = await rig(undefined, { files: position.files });
    made.scripts.set('edit', async (turn) => {
      for (const [tool, before, after, name] of [
        ['t1', 'one', 'two', 'a'],
        ['t2', 'two', 'three', 'a'],
        ['t3', 'x', 'y', 'b'],
      ] as const) {
        turn.report({
          kind: 'tool.started',
          tool,
          name: 'edit_file',
          title: 'Editing',
          toolKind: 'edit',
          source: 'native',
        });
        turn.report({ kind: 'tool.ready', tool, input: {}, title: 'Editing', toolKind: 'edit' });
        turn.report({ kind: 'tool.running', tool, basis: { how: 'agent' } });
        turn.report({
          kind: 'tool.ended',
          tool,
          result: {
            status: 'done',
            content: [{ type: 'edit', path: `${position.root}/${name}`, before, after }],
          },
        });
      }
    });
    client = ecaClient(made.host);
    await client.request('chat/prompt', { chatId: 'c', message: 'edit' });
    await client.until(content('progress', 'finished'));
    const [first] = contentIds();
    await client.request('chat/rollback', { chatId: 'c', contentId: first });
    expect(position.tree()).toEqual({ a: 'one', b: 'mine' });
    expect(client.news().slice(-2)).toEqual([
      `$/showMessage {"type":"warning","message":"${position.root}/b was left as it is: ${position.root}/b has changed since."}`,
      'result {}',
    ]);
    position.close();
    expect(made.host.opened('c')?.state.chats['c']?.turns).toEqual([]);
  });

  test('rollback promises no undo for what it leaves and forgets', async () => {
    const position = workspace({ a: 'changed' });
    made = await rig(undefined, { files: position.files });
    made.scripts.set('edit', async (turn) => {
      const call = { name: 'workspace', title: 'Changed', toolKind: 'edit', source: 'native' } as const;
      turn.report({ kind: 'tool.started', tool: 't', ...call });
      turn.report({ kind: 'tool.ready', tool: 't', input: {}, title: 'Changed', toolKind: 'edit' });
      turn.report({ kind: 'tool.running', tool: 't', basis: { how: 'agent' } });
      const edit = { path: `${position.root}/a`, before: 'one', after: 'changed', observed: true } as const;
      const edits = [{ type: 'edit', ...edit, unattributed: true }] as const;
      turn.report({ kind: 'tool.ended', tool: 't', result: { status: 'done', content: edits } });
    });
    client = ecaClient(made.host);
    await client.request('chat/prompt', { chatId: 'c', message: 'edit' });
    await client.until(content('progress', 'finished'));
    const [contentId] = contentIds();
    await client.request('chat/rollback', { chatId: 'c', contentId, include: ['tools'] });
    expect(client.news().join()).toContain('so it may be your own. /undo all takes it back, too.');
    await client.request('chat/rollback', { chatId: 'c', contentId });
    const left = client.news().find((line) => line.startsWith('$/showMessage'));
    expect(left).toContain('so it may be your own. The record of it went with the messages');
    expect([left?.includes('/undo'), position.tree()]).toEqual([false, { a: 'changed' }]);
    position.close();
  });

  test('rollback of files on another host is refused there, and keeps the messages', async () => {
    const tables = new SharedTables();
    made = await sharedHost('one', tables);
    made.scripts.set('*', async (turn) => {
      turn.report({
        kind: 'tool.started',
        tool: 't',
        name: 'edit_file',
        title: 'Edit',
        toolKind: 'edit',
        source: 'native',
      });
      const edit = { type: 'edit', path: '/w/a', before: 'one', after: 'two' } as const;
      turn.report({ kind: 'tool.ended', tool: 't', result: { status: 'done', content: [edit] } });
    });
    client = ecaClient(made.host);
    await client.request('chat/prompt', { chatId: 'c', message: 'edit' });
    await client.until(content('progress', 'finished'));
    const two = await sharedHost('two', tables);
    const other = await greetedClient(two.host);
    await other.request('chat/open', { chatId: 'c' });
    const { error } = await other.request('chat/rollback', { chatId: 'c', contentId: contentIds()[0] });
    expect([error?.message, contentIds().length]).toEqual([expect.stringContaining('one'), 1]);
    await other.close();
    await two.close();
  });

  test('rollback drops a message and all after it, and replays what is left before it answers', async () => {
    await chatOf('one', 'two', 'three');
    await client.request('chat/rollback', { chatId: 'c', contentId: contentIds()[1], include: ['messages'] });
    expect(client.news()).toEqual([
      'chat/cleared {"chatId":"c","messages":true}',
      'system usage 0',
      'user text "\\none"',
      'assistant text "\\nre one"',
      'result {}',
    ]);
    const { error } = await client.request('chat/rollback', { chatId: 'c', contentId: 'nope' });
    expect(error).toEqual({ code: -32602, message: 'There is no message nope in chat c.' });
  });

  test('what was spent stays spent after a rollback', async () => {
    await chatOf();
    made.scripts.set('pay', async (turn) =>
      turn.report({ kind: 'usage.reported', usage: { input: 100, output: 20, cost: 0.25 } }),
    );
    for (const message of ['pay', 'pay']) {
      await client.request('chat/prompt', { chatId: 'c', message });
      await client.until(content('progress', 'finished'));
      client.news();
    }
    await client.request('chat/rollback', { chatId: 'c', contentId: contentIds()[0], include: ['messages'] });
    const usage = client.wire
      .map(({ params }) => params?.['content'] as { type?: string; sessionCost?: string } | undefined)
      .findLast((each) => each?.type === 'usage');
    expect(usage?.sessionCost).toBe('0.50');
    client.news();
    await client.request('chat/prompt', { chatId: 'c', message: '/costs' });
    expect(client.news().join('\n')).toContain('Total cost: $0.50');
  });

  test('a command that was only shown stands for the stored message before it', async () => {
    await chatOf('one');
    await client.request('chat/prompt', { chatId: 'c', message: '/costs' });
    const shown = client.wire
      .map(({ params }) => params?.['content'] as { text?: string; contentId?: string } | undefined)
      .findLast((each) => each?.text === '/costs\n')?.contentId;
    expect(made.host.opened('c')?.state.chats['c']?.turns).toHaveLength(1);
    const last = await client.request('chat/rollback', { chatId: 'c', contentId: shown });
    expect([last.result, made.host.opened('c')?.state.chats['c']?.turns.length]).toEqual([{}, 1]);
    const flag = await client.request('chat/addFlag', { chatId: 'c', contentId: shown, text: 'here' });
    const fork = await client.request('chat/fork', { chatId: 'c', contentId: shown });
    expect([flag.result, fork.result]).toEqual([{}, {}]);
    await client.request('chat/prompt', { chatId: 'c', message: 'two' });
    await client.until(content('progress', 'finished'));
    await client.request('chat/rollback', { chatId: 'c', contentId: shown });
    expect(made.host.opened('c')?.state.chats['c']?.turns.map((turn) => turn.message.text)).toEqual(['one']);
  });

  test('the list counts what the history has', async () => {
    await chatOf('one');
    made.scripts.set('many', async (turn) => {
      for (const item of ['a', 'b', 'c'])
        turn.report({
          kind: 'text.added',
          item: `${turn.session.turn}${item}`,
          channel: item === 'a' ? 'reasoning' : 'answer',
          text: item,
        });
    });
    await client.request('chat/prompt', { chatId: 'c', message: 'many' });
    await client.until(content('progress', 'finished'));
    const list = (await client.request('chat/list', {})).result as { chats: { messageCount: number }[] };
    const history = (await client.request('chat/history', { chatId: 'c' })).result as {
      meta: { total: number };
    };
    expect([list.chats[0]?.messageCount, history.meta.total]).toEqual([6, 6]);
  });

  test('a chat whose messages were all taken back is still listed if it has a title', async () => {
    await chatOf('one');
    await client.request('chat/update', { chatId: 'c', title: 'Mine' });
    await client.request('chat/rollback', { chatId: 'c', contentId: contentIds()[0] });
    const { result } = await client.request('chat/list', {});
    expect(result).toMatchObject({ chats: [{ id: 'c', title: 'Mine', messageCount: 0 }] });
  });

  test('a flag is planted behind its message, stays, and goes', async () => {
    await chatOf('one', 'two');
    await client.request('chat/addFlag', { chatId: 'c', contentId: contentIds()[0], text: 'here' });
    expect(client.news()).toEqual([
      'chat/cleared {"chatId":"c","messages":true}',
      'user text "\\none"',
      'system flag "here"',
      'assistant text "\\nre one"',
      'user text "\\ntwo"',
      'assistant text "\\nre two"',
      'result {}',
    ]);
    const flag = client.wire.findLast(content('flag'))?.params?.['content'] as { contentId: string };
    await client.request('chat/removeFlag', { chatId: 'c', contentId: flag.contentId });
    expect(client.news()).toEqual(['result {}']);
    await client.request('chat/open', { chatId: 'c' });
    expect(client.news().some((line) => line.includes('flag'))).toBe(false);
    expect(
      (await client.request('chat/addFlag', { chatId: 'c', contentId: 'nope', text: 'x' })).error,
    ).toMatchObject({ code: -32602 });
  });

  test('a flag stands behind a call or a thought as well, a chat is forked where one stands, and a flag needs no text', async () => {
    await chatOf();
    made.scripts.set('go', async (turn) => {
      turn.report({ kind: 'text.added', item: 'th', channel: 'reasoning', text: 'hm' });
      turn.report({
        kind: 'tool.started',
        tool: 'x',
        name: 'look',
        title: 'Look',
        toolKind: 'read',
        source: 'native',
      });
      turn.report({
        kind: 'tool.ended',
        tool: 'x',
        result: { status: 'done', content: [{ type: 'text', text: 'seen' }] },
      });
      turn.report({ kind: 'text.added', item: 'end', channel: 'answer', text: 'done' });
    });
    await client.request('chat/prompt', { chatId: 'c', message: 'go' });
    await client.until(content('progress', 'finished'));
    await client.request('chat/addFlag', { chatId: 'c', contentId: 'x', text: 'here' });
    client.news();
    await client.request('chat/addFlag', { chatId: 'c', contentId: 'th' });
    const brief = client.news().map((line) => line.replace(/ \{.*| manual=.*/, ''));
    expect(brief).toEqual([
      'chat/cleared',
      'user text "\\ngo"',
      'assistant reasonStarted th',
      'assistant reasonText th "hm"',
      'assistant reasonFinished th',
      'system flag "Flag"',
      'assistant toolCallPrepare x',
      'assistant toolCallRun x',
      'assistant toolCallRunning x',
      'assistant toolCalled x',
      'system flag "here"',
      'assistant text "\\ndone"',
      'result',
    ]);
    const flag = client.wire.findLast(content('flag', 'here'))?.params?.['content'] as { contentId: string };
    await client.request('chat/fork', { chatId: 'c', contentId: flag.contentId });
    const copied = client.news().join('\n');
    expect(copied).toContain('system flag "here"');
    expect(copied).not.toContain('done');
    expect(copied.split('\n').slice(-2)).toEqual([
      expect.stringContaining('system text "Chat forked to: '),
      'result {}',
    ]);
  });

  test('a chat that is not used yet can be cleared, named and trusted; there is nothing to change', async () => {
    await chatOf();
    expect(
      [
        await client.request('chat/clear', { chatId: 'new', messages: true }),
        await client.request('chat/update', { chatId: 'new', title: 'x', trust: true }),
        await client.request('chat/removeFlag', { chatId: 'new', contentId: 'x' }),
      ].map(({ result }) => result),
    ).toEqual([{}, {}, {}]);
    expect((await client.request('chat/list')).result).toEqual({ chats: [] });
    expect((await client.request('chat/prompt', { message: '  ' })).result).toEqual({
      chatId: '',
      model: 'error',
      status: 'error',
    });
    expect(made.host.summaries()).toEqual([]);
  });

  test('delete forgets the chat for everybody who has it open', async () => {
    await chatOf('one');
    const other = ecaClient(made.host);
    await other.request('chat/open', { chatId: 'c' });
    other.news();
    await client.request('chat/delete', { chatId: 'c' });
    await other.request('shutdown');
    expect(client.news()).toEqual(['chat/deleted {"chatId":"c"}', 'result {}']);
    expect(other.news()).toEqual(['chat/deleted {"chatId":"c"}', 'result null']);
    expect((await other.request('chat/open', { chatId: 'c' })).result).toEqual({ found: false });
    await other.close();
  });
});

describe('a chat inside a tool call', () => {
  test('is seen with the chat around it, answers its own approvals, and can be opened alone', async () => {
    await chatOf('one');
    made.scripts.set('go', async (turn) => {
      const session = made.host.opened('c');
      turn.report({
        kind: 'tool.started',
        tool: 'x',
        name: 'spawn_agent',
        title: 'Spawn',
        toolKind: 'other',
        source: 'native',
      });
      turn.report({ kind: 'tool.running', tool: 'x', basis: { how: 'agent' } });
      session?.dispatch(
        { kind: 'createChat', chat: 'sub', origin: { type: 'tool', chat: 'c', tool: 'x' } },
        testClient,
      );
      session?.dispatch(
        { kind: 'startTurn', chat: 'sub', turn: 's', message: { id: 'sm', text: 'inside' } },
        testClient,
      );
      await new Promise<void>(
        (resolve) => void session?.follow(() => session.state.chats['sub']?.turns.length === 1 && resolve()),
      );
    });
    made.scripts.set('inside', async (turn) => {
      turn.report({
        kind: 'tool.started',
        tool: 'y',
        name: 'write_file',
        title: 'Write',
        toolKind: 'edit',
        source: 'native',
      });
      await turn.approve({
        tool: 'y',
        intent: { name: 'write_file', toolKind: 'edit', input: {}, paths: ['/w/a'] },
        title: 'Write',
      });
    });
    await client.request('chat/prompt', { chatId: 'c', message: 'go' });
    const asked = await client.until(
      (message) => content('toolCallRun')(message) && message.params?.['chatId'] === 'sub',
    );
    expect(asked.params).toMatchObject({
      chatId: 'sub',
      parentChatId: 'c',
      content: { id: 'y', manualApproval: true },
    });
    const other = ecaClient(made.host);
    expect((await other.request('chat/open', { chatId: 'sub' })).result).toMatchObject({
      found: true,
      chatId: 'sub',
    });
    other.notify('chat/toolCallReject', { chatId: 'sub', toolCallId: 'y' });
    await client.until(
      (message) => content('progress', 'finished')(message) && message.params?.['chatId'] === 'c',
    );
    await other.until(
      (message) => content('progress', 'finished')(message) && message.params?.['chatId'] === 'sub',
    );
    await other.close();
  });
});

describe('choosing', () => {
  test('whoever chose a model hears what follows from it, others hear what was chosen', async () => {
    await chatOf('one');
    const other = await onlooker();
    client.notify('chat/selectedModelChanged', { chatId: 'c', model: 'script/one' });
    await client.until(({ method }) => method === 'config/updated');
    expect(client.news()).toEqual([
      'config/updated {"chatId":"c","chat":{"variants":[],"selectVariant":null}}',
    ]);
    await other.until(({ method }) => method === 'config/updated');
    expect(other.news()).toEqual([
      'config/updated {"chatId":"c","chat":{"selectModel":"script/one","selectAgent":"script","variants":[],"selectVariant":null}}',
    ]);
  });

  test('a client that keeps only the last configuration gets all of it with each choice in a chat', async () => {
    await chatOf('one');
    const editor = await onlooker('VsCode');
    const next = async () => {
      const { params } = await editor.until(({ method }) => method === 'config/updated');
      editor.news();
      return params;
    };
    const whole = {
      models: ['script/one'],
      agents: ['script'],
      behaviors: ['script', 'explorer', 'general'],
      welcomeMessage: expect.stringContaining('Parley') as string,
      selectModel: 'script/one',
      selectAgent: 'script',
      variants: [],
      selectVariant: null,
      selectTrust: false,
    };
    editor.notify('chat/selectedModelChanged', { chatId: 'c', model: 'script/one' });
    expect(await next()).toEqual({ chatId: 'c', chat: whole });
    await client.request('chat/update', { chatId: 'c', trust: true });
    expect(await next()).toEqual({ chatId: 'c', chat: { ...whole, selectTrust: true } });
  });

  test('a model that is not there is answered with the one that is used', async () => {
    await chatOf('one');
    client.notify('chat/selectedModelChanged', { chatId: 'c', model: 'script/gone' });
    await client.until(({ method }) => method === 'config/updated');
    expect(client.news()).toEqual([config]);
  });

  test('a prompt for a model that is not there says in each chat, once, which one answers', async () => {
    await chatOf();
    const [gone, message] = ['anthropic/gone', 'hello'];
    const said = 'The model anthropic/gone is not available. script/one answers instead.';
    for (const chatId of ['c', 'c', 'other']) {
      expect(await client.request('chat/prompt', { chatId, message, model: gone })).toMatchObject({
        result: { model: 'script/one' },
      });
      await client.until(content('progress', 'finished'));
    }
    const notices = client.news().filter((line) => line.includes('anthropic/gone'));
    const told = [
      `system text ${JSON.stringify(`\n${said}\n`)}`,
      `$/showMessage ${JSON.stringify({ type: 'warning', message: said })}`,
    ];
    expect(notices).toEqual([...told, ...told]);
  });

  test('an agent that nobody knows is the default, under either name of the method', async () => {
    await chatOf('one');
    client.notify('chat/selectedAgentChanged', { chatId: 'c', agent: 'plan' });
    client.notify('chat/selectedBehaviorChanged', { behavior: 'agent' });
    await client.until(({ method }) => method === 'tool/serverUpdated');
    await client.request('shutdown');
    expect(client.news().filter((line) => line.startsWith('tool/'))).toHaveLength(2);
    expect(made.host.opened('c')?.state.agent).toBe('script');
  });
});

describe('workspace', () => {
  test('chats begun here follow the workspace of the client', async () => {
    await chatOf('one');
    await made.create('other');
    client.notify('workspace/didChangeWorkspaceFolders', {
      event: { added: [{ uri: 'file:///n%20w/', name: 'n' }], removed: [{ uri: 'file:///w', name: 'w' }] },
    });
    await client.request('chat/prompt', { chatId: 'd', message: 'two' });
    expect(['c', 'd', 'other'].map((id) => made.host.opened(id)?.head.roots)).toEqual([
      ['/n w'],
      ['/n w'],
      ['/w'],
    ]);
  });
});
