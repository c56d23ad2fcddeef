// What every provider's model must do that makes pictures or searches by itself, against a fake provider that
// speaks its wire format.
import { describe, expect, test } from 'vitest';
import type { AssistantPart, ModelMessage, ModelPart } from '../../src/agents/native/model.ts';
import { providerOf } from '../../src/agents/native/models/providers/providers.ts';
import type { WireName } from '../../src/agents/native/models/providers/providers.ts';
import { joinRaw } from '../../src/agents/native/models/wires/shared/seal.ts';
import { brief, collect, modelRig, requestOf, user } from '../kit/modelRig.ts';
import type { ModelRig } from '../kit/modelRig.ts';

interface Asked {
  readonly provider: string;
  readonly model: string;
  readonly wire?: WireName;
  /** What a request has in it that lets the provider do it. */
  readonly offer: object;
}

const tiny = 'iVBORw0KGgoAAAANSUhEUg==';

export function picturesContract(
  name: string,
  traits: Asked & { readonly back: object; readonly seal?: string },
): void {
  describe(`the pictures of ${name}`, () => {
    const rig = modelRig(traits);

    test('are asked for where the user wants them', async () => {
      const model = wanting(rig, traits.provider, { imageGeneration: true });
      expect(model.serves).toEqual(['image_generation']);
      rig.server.replies.push([{ text: 'ok' }], [{ text: 'ok' }]);
      await collect(model.stream(requestOf({ serves: ['image_generation'] })));
      expect(rig.server.requests.at(-1)?.body).toMatchObject(traits.offer);
      await collect(model.stream(requestOf()));
      expect(rig.server.requests.at(-1)?.body).not.toMatchObject(traits.offer);
    });

    test('come between the words, and go back to whoever made them', async () => {
      const parts = await rig.ask([
        { text: 'See:' },
        { picture: tiny, ...(traits.seal === undefined ? {} : { seal: traits.seal }) },
        { text: 'Well?' },
      ]);
      expect(brief(parts).filter((line) => /^(?:text|image)/.test(line))).toEqual([
        'text See:',
        `image ${tiny}`,
        'text Well?',
      ]);
      await rig.ask([{ text: 'ok' }], {
        messages: [user('Draw.'), answerOf(parts), user('Smaller.')],
        start: 2,
        serves: ['image_generation'],
      });
      expect(rig.server.requests.at(-1)?.body).toMatchObject(traits.back);
      expect(rig.sent().split(tiny).length - 1).toBe(1);
    });

    test('of another model are shown from the side of the user', async () => {
      const foreign: ModelMessage = {
        role: 'assistant',
        content: [
          { type: 'text', text: 'See:' },
          {
            type: 'image',
            mediaType: 'image/png',
            data: tiny,
            meta: { for: 'elsewhere', raw: { openai: [{ id: 'FOREIGN' }] } },
          },
        ],
      };
      await rig.ask([{ text: 'ok' }], { messages: [user('Draw.'), foreign, user('Smaller.')], start: 2 });
      expect([
        rig.sent().includes(tiny),
        rig.sent().includes('The picture that you have made:'),
        rig.sent().includes('FOREIGN'),
      ]).toEqual([true, true, false]);
      expect(rig.server.requests[0]?.asked?.prompt).toContain('Smaller.');
    });
  });
}

export function searchContract(
  name: string,
  traits: Asked & { readonly back: readonly string[]; readonly seal?: string },
): void {
  describe(`the web search of ${name}`, () => {
    const rig = modelRig(traits);
    const page = { url: 'https://a.example/x', title: 'A page' };
    const search = {
      search: 'weather tomorrow',
      found: [page],
      ...(traits.seal === undefined ? {} : { seal: traits.seal }),
    } as const;

    test('is offered where the user wants it, and only there', async () => {
      expect([rig.open().serves, wanting(rig, traits.provider, { webSearch: true }).serves]).toEqual([
        [],
        ['web_search'],
      ]);
      await rig.ask([{ text: 'ok' }], { serves: ['web_search'] });
      expect(rig.server.requests.at(-1)?.body).toMatchObject(traits.offer);
      await rig.ask([{ text: 'ok' }]);
      expect(rig.server.requests.at(-1)?.body).not.toMatchObject(traits.offer);
    });

    test('is a call with what was looked for and found', async () => {
      const parts = await rig.ask([search, { text: 'Rain.' }]);
      const ends = parts.filter((part) => part.type === 'served-result');
      expect(parts.filter((part) => part.type === 'tool-start')).toMatchObject([
        { name: 'web_search', served: true },
      ]);
      expect(parts.findLast((part) => part.type === 'served-call')?.input).toContain('weather tomorrow');
      expect(ends).toMatchObject([
        {
          name: 'web_search',
          result: {
            content:
              traits.seal === undefined || traits.provider === 'anthropic'
                ? [{ type: 'link', uri: page.url }]
                : [],
          },
        },
      ]);
      expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
      expect(parts.find((part) => part.type === 'usage')?.usage).toMatchObject({ searches: 1 });
    });

    test('goes back word for word, and to nobody else', async () => {
      const parts = await rig.ask([search, { text: 'Rain.' }]);
      const messages = [user('Weather?'), answerOf(parts), user('Sure?')];
      await rig.ask([{ text: 'ok' }], { messages, start: 2, serves: ['web_search'] });
      expect(traits.back.filter((words) => !rig.sent().includes(words))).toEqual([]);
      expect(rig.sent()).toContain('Rain.');
      // Where the user does not want it any more, nothing of it is left.
      await rig.ask([{ text: 'ok' }], { messages, start: 2 });
      expect(traits.back.filter((words) => rig.sent().includes(words))).toEqual([]);
      const elsewhere = JSON.parse(
        JSON.stringify(messages).replaceAll(`"for":"${traits.provider}"`, '"for":"elsewhere"'),
      ) as readonly ModelMessage[];
      await rig.ask([{ text: 'ok' }], { messages: elsewhere, start: 2, serves: ['web_search'] });
      expect([
        traits.back.filter((words) => rig.sent().includes(words)),
        rig.sent().includes('Rain.'),
      ]).toEqual([[], true]);
    });
  });
}

function wanting(
  rig: ModelRig,
  id: string,
  wish: { readonly webSearch?: boolean; readonly imageGeneration?: boolean },
) {
  const provider = providerOf(id);
  if (!provider) throw new Error(`no provider ${id}`);
  return rig.open({ provider: { ...provider, config: { headers: {}, models: {}, ...wish } } });
}

/** The message that the log would give back of an answer. */
function answerOf(parts: readonly ModelPart[]): ModelMessage {
  const content: AssistantPart[] = [];
  for (const part of parts) {
    const last = content.at(-1);
    if (part.type === 'text' && last?.type === 'text')
      content[content.length - 1] = {
        ...last,
        text: last.text + part.text,
        ...(part.meta === undefined ? {} : { meta: part.meta }),
      };
    else if (part.type === 'text')
      content.push({
        type: 'text',
        text: part.text,
        ...(part.meta === undefined ? {} : { meta: part.meta }),
      });
    else if (part.type === 'image')
      content.push({
        type: 'image',
        mediaType: 'image/png',
        data: part.data,
        ...(part.meta === undefined ? {} : { meta: part.meta }),
      });
    else if ((part.type === 'served-call' || part.type === 'served-result') && part.meta !== undefined) {
      const meta = last?.type === 'served' ? (joinRaw(last.meta, part.meta) ?? part.meta) : part.meta;
      if (last?.type === 'served') content.pop();
      content.push({ type: 'served', name: part.name, meta });
    }
  }
  return { role: 'assistant', content };
}
