// What agents do to files is taken back from what the log has recorded, and nothing of what
// others have done since.
import { execFileSync } from 'node:child_process';
import { chmodSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { brief, ended, prompt, send } from '../../../../test/kit/agentRig.ts';
import type { AgentRig } from '../../../../test/kit/agentRig.ts';
import { start } from '../../../../test/kit/agentStart.ts';
import { testClient } from '../../../../test/kit/host.ts';
import type { Session } from '../../../host/session/session.ts';
import { editedInSession } from '../../../model/edits.ts';

const allowed = { optionId: 'yes', name: 'Yes', kind: 'allow_once' };
const call = (more: object) =>
  `update ${JSON.stringify({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'Edit', kind: 'edit', status: 'in_progress', ...more })}`;
const done = (more: object = {}) =>
  `update ${JSON.stringify({ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed', ...more })}`;
const ask = (more: object) => {
  const params = { toolCall: { toolCallId: 'c', kind: 'edit', ...more }, options: [allowed] };
  return `call session/request_permission ${JSON.stringify(params)}`;
};
const diff = (path: string, oldText: string | null, newText: string) => ({
  content: [{ type: 'diff', path, oldText, newText }],
});

describe('an edit of an agent is taken back', () => {
  check(
    'that it tells whole',
    (path) => [`put ${path} "new"`, call(diff(path, 'one\ntwo\n', 'new')), done()],
    'new',
  );
  check(
    'that it tells without the last line break',
    (path) => [
      ask({ title: 'Write', ...diff(path, 'one\ntwo', 'new') }),
      `put ${path} "new"`,
      done(diff(path, 'one\ntwo', 'new')),
    ],
    'new',
  );
  check(
    'that it had written before the host looked, with other permissions after that',
    (path) => [
      `put ${path} "new"`,
      call({ locations: [{ path }] }),
      ask({ title: 'Write' }),
      `mode ${path} 600`,
      done(diff(path, null, 'new')),
    ],
    'new',
  );
  check(
    'that had emptied the file when the host looked',
    (path) => [
      `put ${path} ""`,
      call({ locations: [{ path }] }),
      ask({ title: 'Write' }),
      `put ${path} "new"`,
      done(diff(path, null, 'new')),
    ],
    'new',
  );
  check(
    'of which it tells only the part that changed',
    (path) => [`put ${path} "one\\n2\\n"`, call(diff(path, 'two', '2')), done()],
    'one\n2\n',
  );
  check(
    'of which it tells several parts',
    (path) => [
      `put ${path} "1\\n2\\n"`,
      call({}),
      done({ content: [...diff(path, 'one', '1').content, ...diff(path, 'two', '2').content] }),
    ],
    '1\n2\n',
  );
  check(
    'that it made through us',
    (path) => [`call fs/write_text_file {"path":"${path}","content":"new"}`],
    'new',
  );
  check(
    'that it made itself before it made the same through us',
    (path) => [
      ask({ title: 'Edit', locations: [{ path }] }),
      `put ${path} "new"`,
      `call fs/write_text_file {"path":"${path}","content":"new"}`,
      done(),
    ],
    'new',
  );
  check(
    'that it made through us with the approval of its own call, and tells nothing of',
    (path) => [
      ask({ title: 'Edit', locations: [{ path }] }),
      `call fs/write_text_file {"path":"${path}","content":"first"}`,
      `call fs/write_text_file {"path":"${path}","content":"new"}`,
      done(),
    ],
    'new',
  );
  check(
    'of which it tells the text only before it asks, with other arguments',
    (path) => [
      call({ locations: [{ path }], rawInput: { filePath: path, content: 'new' } }),
      ask({ rawInput: { filepath: path, diff: '-one' } }),
      `put ${path} "new"`,
      done(),
    ],
    'new',
  );

  function check(name: string, directives: (path: string) => readonly string[], after: string): void {
    test(`${name}, as long as nobody has changed the file since`, async () => {
      const { rig, session } = await start();
      const path = join(rig.place.root, 'a.txt');
      await prompt(session, directives(path).join('\n'));
      expect(rig.place.tree()['a.txt']).toBe(after);
      expect(await undo(rig, session)).toEqual({ restored: [path], left: [] });
      expect(rig.place.tree()['a.txt']).toBe('one\ntwo\n');
    });

    test(`${name}, but not over what somebody has changed since`, async () => {
      const { rig, session } = await start();
      const path = join(rig.place.root, 'a.txt');
      await prompt(session, directives(path).join('\n'));
      writeFileSync(path, `${after}more`);
      expect(await undo(rig, session)).toMatchObject({ restored: [], left: [{ path }] });
      expect(rig.place.tree()['a.txt']).toBe(`${after}more`);
    });
  }

  test('a file that it made is gone again, also one that it made by itself', async () => {
    const { rig, session } = await start();
    const path = join(rig.place.root, 'b.txt');
    await prompt(session, [`put ${path} "b"`, call(diff(path, null, 'b')), done()].join('\n'));
    expect(await undo(rig, session)).toEqual({ restored: [path], left: [] });
    expect(Object.keys(rig.place.tree())).not.toContain('b.txt');
  });

  test('a file that it made is gone again, also one that was still empty when the host looked', async () => {
    const { rig, session } = await start();
    const path = join(rig.place.root, 'b.txt');
    const directives = [
      `put ${path} ""`,
      call({ locations: [{ path }], rawInput: { filePath: path, content: 'b' } }),
      ask({ title: 'Write' }),
      `put ${path} "b"`,
      done(),
    ];
    await prompt(session, directives.join('\n'));
    expect(await undo(rig, session)).toEqual({ restored: [path], left: [] });
    expect(Object.keys(rig.place.tree())).not.toContain('b.txt');
  });

  test('a file that was not there is gone again, also where the agent says that it was empty', async () => {
    const { rig, session } = await start();
    const path = join(rig.place.root, 'b.txt');
    const asking = ask({ title: 'Write', ...diff(path, '', 'b') });
    await prompt(session, [asking, `put ${path} "b"`, done(diff(path, '', 'b'))].join('\n'));
    expect(await undo(rig, session)).toEqual({ restored: [path], left: [] });
    expect(Object.keys(rig.place.tree())).not.toContain('b.txt');
  });

  test('that it made through us, also where the turn was stopped before its call had ended', async () => {
    const { rig, session } = await start();
    const path = join(rig.place.root, 'a.txt');
    const turn = send(
      session,
      [
        ask({ title: 'Edit', locations: [{ path }] }),
        `call fs/write_text_file {"path":"${path}","content":"first"}`,
        `call fs/write_text_file {"path":"${path}","content":"new"}`,
        'hang',
      ].join('\n'),
    );
    const stopped = ended(session, turn);
    await expect.poll(() => rig.place.tree()['a.txt']).toBe('new');
    session.dispatch({ kind: 'stopTurn', chat: session.id, next: 'n' }, testClient);
    expect((await stopped).outcome).toEqual({ kind: 'cancelled' });
    expect(await undo(rig, session)).toEqual({ restored: [path], left: [] });
    expect(rig.place.tree()['a.txt']).toBe('one\ntwo\n');
  });

  for (const place of ['a repository', 'a folder without git'] as const) {
    test(`what its command changes in ${place} is found at the end of the turn`, async () => {
      const { rig, session } = await start();
      rig.place.put({ 'b.txt': 'b', 'gone.sh': '#!/bin/sh\r\n', 'bin/tool': 'tool' });
      chmodSync(join(rig.place.root, 'gone.sh'), 0o755);
      if (place === 'a repository') commit(rig.place.root);
      rig.place.put({ 'dirty.txt': 'not in git\n' });
      const before = rig.place.tree();
      const at = (name: string) => join(rig.place.root, name);
      const turn = await prompt(
        session,
        [
          call({ kind: 'execute', title: 'Run' }),
          `put ${at('a.txt')} "one"`,
          `put ${at('new.txt')} "new"`,
          `put ${at('dirty.txt')} "changed"`,
          `remove ${at('gone.sh')}`,
          done(),
        ].join('\n'),
      );
      const names = ['a.txt', 'dirty.txt', 'gone.sh', 'new.txt'];
      expect(brief(turn.items)).toContain('workspace done [Changed by the command, or by you meanwhile]');
      expect(filesOf(session)).toEqual(names.map(at));
      // Nobody can tell these changes from the user's own; only what is gone comes back without harm.
      const left = ['dirty.txt', 'a.txt', 'new.txt'].map((name) => ({ path: at(name), why: notExplained }));
      const undone = await undo(rig, session);
      expect(undone).toEqual({ restored: [at('gone.sh')], left: expect.arrayContaining(left) as unknown });
      expect(statSync(at('gone.sh')).mode & 0o777).toBe(0o755);
      await prompt(session, '/undo all');
      expect(rig.place.tree()).toEqual(before);
      // What is undone is not listed any more.
      expect(filesOf(session)).toEqual([]);
    });
  }

  for (const place of ['a repository', 'a folder without git'] as const)
    for (const [from, to] of [
      [0o600, 0o755],
      [0o600, 0o644],
      [0o400, 0o644],
      [0o755, 0o600],
      [0o640, 0o4750],
      [0o4755, 0o755],
    ] as const)
      test(`in ${place} a file of mode ${from.toString(8)} gets it back from ${to.toString(8)}`, async () => {
        const { rig, session } = await start();
        const at = (name: string) => join(rig.place.root, name);
        const modeOf = (name: string) => statSync(at(name)).mode & 0o7777;
        rig.place.put({ gone: 'gone' });
        for (const name of ['a.txt', 'gone']) chmodSync(at(name), from);
        if (place === 'a repository') commit(rig.place.root);
        const octal = to.toString(8);
        await prompt(session, [`mode ${at('a.txt')} ${octal}`, `remove ${at('gone')}`].join('\n'));
        expect(modeOf('a.txt')).toBe(to);
        await prompt(session, '/undo all');
        expect([modeOf('a.txt'), modeOf('gone')]).toEqual([from, from]);
        await prompt(session, '/redo');
        expect(modeOf('a.txt')).toBe(to);
      });

  test('in a repository with too many files to know their permissions, an undo says which to look at', async () => {
    const { rig, session } = await start();
    const at = (name: string) => join(rig.place.root, name);
    rig.place.put({ gone: 'gone', secret: 'mine' });
    for (const name of ['gone', 'secret']) chmodSync(at(name), 0o600);
    commit(rig.place.root);
    addSparse(rig.place.root, 50_000);
    // Git sees other permissions by the time of the change, in whole seconds.
    await setTimeout(1_100);
    await prompt(session, [`mode ${at('secret')} 644`, `remove ${at('gone')}`].join('\n'));
    const turn = await prompt(session, '/undo all');
    expect(brief(turn.items)).toEqual([
      `warning: As before: ${at('gone')}\n${at('secret')} was left as it is: its permissions may have ` +
        'changed; in a repository with so many files Parley does not know them.\nParley knew only whether ' +
        `these files may be executed; look at their other permissions: ${at('gone')}`,
    ]);
    expect(rig.place.tree()['gone']).toBe('gone');
  });

  test('what is no text is left alone, and the answer says so', async () => {
    const { rig, session } = await start();
    const [image, link] = [join(rig.place.root, 'a.png'), join(rig.place.root, 'link')];
    rig.place.put({ 'a.png': new Uint8Array([0x89, 0, 1]) });
    symlinkSync('a.txt', link);
    await prompt(
      session,
      [call({ kind: 'execute' }), `put ${image} "x"`, `remove ${link}`, done()].join('\n'),
    );
    expect(await undo(rig, session)).toEqual({
      restored: [],
      left: [
        { path: link, why: 'it is a link.' },
        { path: image, why: 'it is not UTF-8 text.' },
      ],
    });
    expect(rig.place.tree()['a.png']).toBe('x');
  });

  test('also what a failed call has changed', async () => {
    const { rig, session } = await start();
    const path = join(rig.place.root, 'a.txt');
    const failed = 'update {"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed"}';
    const turn = await prompt(
      session,
      [call(diff(path, null, 'x')), `put ${path} "half"`, failed].join('\n'),
    );
    expect(brief(turn.items)).toEqual(['edit failed [Edit]']);
    expect(await undo(rig, session)).toEqual({ restored: [], left: [{ path, why: notExplained }] });
    await prompt(session, '/undo all');
    expect(rig.place.tree()['a.txt']).toBe('one\ntwo\n');
  });

  test('also what it changed by itself before the turn was stopped', async () => {
    const { rig, session } = await start();
    const path = join(rig.place.root, 'a.txt');
    const turn = send(session, [call({ kind: 'execute' }), `put ${path} "half"`, 'hang'].join('\n'));
    await expect.poll(() => rig.place.tree()['a.txt']).toBe('half');
    session.dispatch({ kind: 'stopTurn', chat: session.id, next: 'n' }, testClient);
    expect((await ended(session, turn)).outcome).toEqual({ kind: 'cancelled' });
    await expect.poll(() => filesOf(session), patience).toEqual([path]);
    expect(await undo(rig, session)).toEqual({ restored: [], left: [{ path, why: notExplained }] });
    await prompt(session, '/undo all');
    expect(rig.place.tree()['a.txt']).toBe('one\ntwo\n');
  });

  test('also by an undo that is sent while the agent still stops', async () => {
    const { rig, session } = await start();
    const path = join(rig.place.root, 'a.txt');
    send(session, [call({ kind: 'execute' }), `put ${path} "half"`, 'hang'].join('\n'));
    await expect.poll(() => rig.place.tree()['a.txt']).toBe('half');
    session.dispatch({ kind: 'stopTurn', chat: session.id, next: 'n' }, testClient);
    await prompt(session, '/undo all');
    expect(rig.place.tree()['a.txt']).toBe('one\ntwo\n');
    await prompt(session, '/redo');
    expect(rig.place.tree()['a.txt']).toBe('half');
  });

  test('a turn that is stopped while the host looks at the files asks the agent nothing', async () => {
    let looked: () => void = () => {};
    const { rig, session } = await start({ looked: () => looked() });
    await prompt(session, 'say hi');
    looked = () => void session.dispatch({ kind: 'stopTurn', chat: session.id, next: 'n' }, testClient);
    const path = join(rig.place.root, 'a.txt');
    expect((await prompt(session, `put ${path} "new"`)).outcome).toEqual({ kind: 'cancelled' });
    looked = () => {};
    await prompt(session, 'say hi');
    expect(rig.place.tree()['a.txt']).toBe('one\ntwo\n');
  });

  test('what it only announced changes nothing', async () => {
    const { rig, session } = await start();
    const path = join(rig.place.root, 'a.txt');
    await prompt(
      session,
      [
        call(diff(path, 'one\ntwo\n', 'new')),
        'update {"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed"}',
      ].join('\n'),
    );
    expect(await undo(rig, session)).toEqual({ restored: [], left: [] });
    expect(rig.place.tree()['a.txt']).toBe('one\ntwo\n');
  });
});

describe('what the user changes is kept', () => {
  const asking = (path: string) => ask({ title: 'Edit', locations: [{ path }] });
  check('while the agent works', (path) => [`append ${path} "mine\\n"`], 'one\ntwo\nmine\n');
  check(
    'before the agent writes through us',
    (path) => [`append ${path} "mine\\n"`, `through ${path} "its\\n"`],
    'one\ntwo\nmine\n',
  );
  check(
    'between two writes of one call',
    (path) => [
      asking(path),
      `through ${path} "its\\n"`,
      `append ${path} "mine\\n"`,
      `through ${path} "x"`,
      done(),
    ],
    'one\ntwo\nits\nmine\nx',
  );
  check(
    'after a write of a call that goes on',
    (path) => [asking(path), `through ${path} "its\\n"`, `append ${path} "mine\\n"`, done()],
    'one\ntwo\nits\nmine\n',
  );
  check(
    'between the begin of a call and the write that it reports',
    (path) => [
      call({ locations: [{ path }] }),
      `append ${path} "mine\\n"`,
      `revise ${path} "its\\n"`,
      done(),
    ],
    'one\ntwo\nmine\n',
  );
  check(
    'while a call runs that names the file and tells no more',
    (path) => [call({ locations: [{ path }] }), `append ${path} "mine\\n"`, done()],
    'one\ntwo\nmine\n',
  );

  function check(name: string, directives: (path: string) => readonly string[], kept: string): void {
    test(`also ${name}`, async () => {
      const { rig, session } = await start();
      const path = join(rig.place.root, 'a.txt');
      await prompt(session, directives(path).join('\n'));
      expect(await undo(rig, session)).toEqual({ restored: [], left: [{ path, why: notExplained }] });
      // An agent that is fast writes before the host has looked; then its part stays, too.
      expect([kept, `${kept}its\n`]).toContain(rig.place.tree()['a.txt']);
    });
  }

  test('also a file that the user makes', async () => {
    const { rig, session } = await start();
    const path = join(rig.place.root, 'mine.txt');
    await prompt(session, `put ${path} "mine"`);
    expect(await undo(rig, session)).toEqual({ restored: [], left: [{ path, why: notExplained }] });
    expect(rig.place.tree()['mine.txt']).toBe('mine');
  });

  test('also what the user makes again by hand after an undo', async () => {
    const { rig, session } = await start();
    const path = join(rig.place.root, 'b.txt');
    await prompt(session, [`put ${path} "b"`, call(diff(path, null, 'b')), done()].join('\n'));
    expect(await undo(rig, session)).toEqual({ restored: [path], left: [] });
    writeFileSync(path, 'b');
    expect(await undo(rig, session)).toEqual({ restored: [], left: [] });
    expect(rig.place.tree()['b.txt']).toBe('b');
  });
});

const notExplained =
  'no report of the agent explains this change, so it may be your own. /undo all takes it back, too.';

const patience = { timeout: 100_000 };

/** The files that the whole session has changed. */
function filesOf(session: Session): readonly string[] {
  return editedInSession(session.state)
    .map(({ first }) => first.path)
    .toSorted();
}

/** Files that are in the index and, as in a sparse checkout, not on the disk. */
function addSparse(root: string, count: number): void {
  const names = Array.from({ length: count }, (_, at) => `sparse/${at}`);
  const empty = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';
  const git = (args: readonly string[], input: string) => execFileSync('git', args, { cwd: root, input });
  git(['update-index', '--index-info'], names.map((name) => `100644 ${empty} 0\t${name}\n`).join(''));
  git(['update-index', '--skip-worktree', '--stdin'], names.map((name) => `${name}\n`).join(''));
}

function commit(root: string): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root });
  git('init', '-q');
  git('add', '-A');
  git('-c', 'user.name=a', '-c', 'user.email=a@b.example', 'commit', '-qm', 'x');
}

async function undo(rig: AgentRig, session: Session): Promise<unknown> {
  const undone = await rig.host.undo(session.id, { after: undefined }, testClient);
  if ('rejected' in undone) return undone;
  // Which edits were reverted is recorded; their ids differ from run to run.
  const { edits: _, ...result } = undone;
  return result;
}
