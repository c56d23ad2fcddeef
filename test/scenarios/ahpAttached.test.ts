// A client that attaches what only it has, with the native agent: the host reads it back from the client.
import { expect, test } from 'vitest';
import { connect } from '../kit/ahp.ts';
import { nativeRig } from '../kit/nativeRig.ts';
import type { Loose } from '../kit/wire.ts';
import { RpcError } from '../../src/rpc/rpcError.ts';
import type { LanguageModel, ModelRequest } from '../../src/agents/native/model.ts';
import { scriptedModel } from '../../src/agents/native/models/scripted/scripted.ts';

test('what is attached and only its client has is read from the client, which may want to be asked first', async () => {
  const requests: ModelRequest[] = [];
  const scripted = scriptedModel({ sleep: () => Promise.resolve() });
  const model: LanguageModel = {
    ...scripted,
    stream: (request) => (requests.push(request), scripted.stream(request)),
  };
  const rig = await nativeRig([model]);
  const asked: string[] = [];
  let allowed = false;
  const client = await connect(rig.host, {
    answers: (method, { uri, channel, read, write }) => {
      asked.push(
        [method, uri, channel, ...(read ? ['to read'] : []), ...(write ? ['to write'] : [])].join(' '),
      );
      if (method === 'resourceRequest') {
        allowed = true;
        return {};
      }
      if (uri === 'notes:/refused') throw new RpcError(-32009, 'no');
      if (uri === 'notes:/asked' && !allowed)
        throw new RpcError(-32009, 'ask', { request: { uri, read: true } });
      return uri === 'notes:/asked'
        ? { data: Buffer.from('Grüße').toString('base64'), encoding: 'base64' }
        : { data: 'The moon is new.', encoding: 'utf-8' };
    },
  });
  try {
    const chat = `ahp-chat:/${rig.session.id}`;
    await client.subscribe(chat);
    const attachments = ['notes:/moon', 'notes:/asked', 'notes:/refused', 'https://example.test/page'].map(
      (uri) => ({ type: 'resource', uri, label: uri.slice(-4) }),
    );
    await client.echo(
      client.dispatch(chat, {
        type: 'chat/turnStarted',
        turnId: 't1',
        startedAt: '2026-01-01T00:00:00.000Z',
        message: { text: 'say Seen.', origin: { kind: 'user' }, attachments },
      }),
    );
    await client.wait(() => client.views.get(chat).turns.length === 1);
    const given = JSON.stringify(requests.at(-1)?.messages);
    expect(['The moon is new.', 'Grüße'].map((words) => given.includes(words))).toEqual([true, true]);
    expect(asked.toSorted()).toEqual([
      'resourceRead notes:/asked ahp-root://',
      'resourceRead notes:/asked ahp-root://',
      'resourceRead notes:/moon ahp-root://',
      'resourceRead notes:/refused ahp-root://',
      'resourceRequest notes:/asked ahp-root:// to read',
    ]);
    expect(client.views.get(chat).turns[0].message.attachments.map(({ uri }: Loose) => uri)).toEqual(
      attachments.map(({ uri }) => uri),
    );
  } finally {
    await client.close();
    await rig.close();
  }
});
