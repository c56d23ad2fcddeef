// Around which commands of the native agent the host looks at the files of the workspace: around all that may
// change one. With the real parser and judge.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LanguageModel } from '../../src/agents/native/model.ts';
import type { Hook } from '../../src/host/settings/projectKnowledge.ts';
import type { WorkspaceSnapshots } from '../../src/host/workspace/workspaceSnapshots.ts';
import { repositoriesAt } from '../../src/io/files/repositoryAt.ts';
import { parseCommand } from '../../src/io/processes/parseCommand.ts';
import type { Json } from '../../src/model/event.ts';
import { testClient, until } from '../kit/host.ts';
import { nativeRig } from '../kit/nativeRig.ts';
import type { NativeRig } from '../kit/nativeRig.ts';

interface Looks {
  readonly command: string;
  /** Whether the host looks at the files before and after it. */
  readonly looked: boolean;
  /** What the user makes of the command. */
  readonly edited?: string;
  readonly hook?: Pick<Hook, 'on'> & { readonly says: Json };
  /** The configuration of the repository in the workspace. */
  readonly config?: string;
}

test.each<Looks>([
  { command: 'ls', looked: false },
  { command: 'cat a.txt | head -1; wc -l ./*.txt 2>/dev/null', looked: false },
  { command: 'git status', looked: false },
  { command: 'cd sub && git log -1 && git diff', looked: false },
  { command: 'git status', looked: true, config: '[filter "x"]\n\tclean = touch x\n' },
  { command: 'git stash', looked: true },
  { command: 'touch x', looked: true },
  { command: 'ls; touch x', looked: true },
  { command: 'ls > x', looked: true },
  { command: 'ls $(touch x)', looked: true },
  { command: './ls', looked: true },
  { command: 'cat a.txt | uniq - x', looked: true },
  { command: 'uniq *.txt', looked: true },
  { command: 'sort *', looked: true },
  { command: 'awk B*', looked: true },
  { command: 'cd ~ && git status', looked: true },
  { command: 'ls', edited: 'touch x', looked: true },
  { command: 'touch x', edited: 'ls', looked: false },
  {
    command: 'ls',
    hook: { on: 'preToolCall', says: { updatedInput: { command: 'touch x' } } },
    looked: true,
  },
  { command: 'ls', hook: { on: 'postToolCall', says: {} }, looked: true },
])('$command $edited $hook.on: looks at the files $looked', async ({ command, looked, ...more }) => {
  const model: LanguageModel = {
    id: 'm/m',
    name: 'Em',
    async *stream({ messages }) {
      const isDone = JSON.stringify(messages).includes('"c"');
      if (!isDone)
        yield { type: 'tool-call', id: 'c', name: 'shell_command', input: JSON.stringify({ command }) };
      yield { type: 'finish', reason: isDone ? 'stop' : 'calls' };
    },
  };
  let looks = 0;
  const look = <T>(seen: T) => {
    looks += 1;
    return Promise.resolve(seen);
  };
  const snapshots: WorkspaceSnapshots = {
    take: () =>
      look({
        before: () => Promise.resolve(undefined),
        changed: () => look({ paths: [], lost: [] }),
        changedFolder: () => Promise.resolve(undefined),
        close: () => Promise.resolve(),
      }),
    view: () => Promise.resolve(null),
  };
  const places: string[] = [];
  const lookAt = (some: readonly string[]) => {
    places.push(...some);
    return repositoriesAt(some);
  };
  const hooks: readonly Hook[] = more.hook ? [hookOf(more.hook)] : [];
  const knowledge = {
    now: () => none,
    of: () => Promise.resolve(none),
    hooks: () => hooks,
    watch: () => () => {},
  };
  const rig = await nativeRig([model], { external: { snapshots }, knowledge }, (place) => ({
    parseCommand: (text) => parseCommand(text),
    paths: { canonical: place.canonical, repositoriesAt: lookAt },
  }));
  mkdirSync(join(rig.place.root, '.git'));
  mkdirSync(join(rig.place.root, 'sub'));
  writeFileSync(join(rig.place.root, '.git/HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(rig.place.root, '.git/config'), more.config ?? '');
  if (more.edited === undefined) await rig.prompt('Run.');
  else await answerWith(rig, { command: more.edited });
  expect(rig.problems).toEqual([]);
  expect(looks).toBe(looked ? 2 : 0);
  expect(places).toEqual([...new Set(places)]);
  await rig.close();
});

const none = { instructions: [], rules: [], skills: [], commands: [], agents: [], problems: [] };

function hookOf({ on, says }: NonNullable<Looks['hook']>): Hook {
  const command = `cat > /dev/null; echo '${JSON.stringify(says)}'`;
  return { name: 'h', on, actions: [{ run: { command }, timeout: 5_000 }], visible: true };
}

async function answerWith(rig: NativeRig, input: Json): Promise<void> {
  rig.start('Run.');
  await until(rig.session, () => Object.keys(rig.chat().asks).length > 0);
  const [ask = ''] = Object.keys(rig.chat().asks);
  const answer = { kind: 'option', option: 'allow', input } as const;
  expect(
    rig.session.dispatch({ kind: 'answer', chat: rig.session.id, ask, answer }, testClient),
  ).toBeUndefined();
  await until(rig.session, () => rig.chat().turns.length === 1);
}
