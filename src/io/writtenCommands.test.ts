import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { workspace } from '../../test/kit/workspace.ts';
import type { Workspace } from '../../test/kit/workspace.ts';
import { frontMatter, writtenCommands } from './writtenCommands.ts';

let place: Workspace;
afterEach(() => place?.close());

test('commands and skills are found where ECA users have them, those of the workspace first', async () => {
  place = workspace({
    'w/.eca/commands/greet.md': '---\ndescription: "Say hi"\narguments: [who]\n---\nSay hi to {{who}}.\n',
    'w/.eca/commands/notes.txt': 'no command',
    'w/.eca/skills/lint/SKILL.md': '---\nname: lint\ndescription: Lint things\n---\nRun lint on $1',
    'w/.agents/skills/tidy/SKILL.md': '# Tidy up\n\nTidy $ARGS',
    'w/.eca/skills/empty/README.md': '',
    'global/eca/commands/greet.md': 'Another greeting',
    'global/eca/commands/bye.md': 'Say bye',
  });
  const found = await writtenCommands([join(place.root, 'w')], { XDG_CONFIG_HOME: join(place.root, 'global') });
  expect(found.filter(({ name }) => ['lint', 'tidy', 'bye', 'greet'].includes(name))).toEqual([
    { type: 'skill', name: 'lint', description: 'Lint things', body: 'Run lint on $1', arguments: [] },
    { type: 'skill', name: 'tidy', description: 'Tidy up', body: '# Tidy up\n\nTidy $ARGS', arguments: [] },
    { type: 'custom-prompt', name: 'bye', description: 'Say bye', body: 'Say bye', arguments: [] },
    { type: 'custom-prompt', name: 'greet', description: 'Say hi', body: 'Say hi to {{who}}.', arguments: ['who'] },
  ]);
});

test('a text without front matter is all body', () => {
  expect(frontMatter('--- no\nfront')).toEqual({ fields: new Map(), body: '--- no\nfront' });
  expect(frontMatter('---\r\na: b\r\n---\r\nrest')).toEqual({ fields: new Map([['a', 'b']]), body: 'rest' });
});
