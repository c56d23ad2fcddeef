// The review: its page, and hunks, comments and edits in the states that the page does not show.
import { compare } from '../../text/diff.ts';
import type { InputEdit } from '../../views/ask/EditedInput.tsx';
import { EditedInput } from '../../views/ask/EditedInput.tsx';
import { DiffView } from '../../views/diff/DiffView.tsx';
import { CommentForm, CommentView } from '../../views/review/Comments.tsx';
import { HunkTable } from '../../views/review/HunkTable.tsx';
import { SessionPage } from '../../views/session/SessionPage.tsx';
import { Area, Host, Part, Stage } from '../Part.tsx';
import { edited } from '../samples/turns.ts';
import { shop } from '../samples/sessions.ts';
import { world } from '../samples/world.ts';
import { nothing } from '../surroundings.ts';

const edits: readonly InputEdit[] = [{ kind: 'valid', input: '{}' }, { kind: 'invalid' }];

export function Review() {
  return (
    <Area title="Review">
      <Part title="Page">
        <Stage size="tall">
          <SessionPage session={shop} view="changes" />
        </Stage>
      </Part>
      <Part title="Empty, and refused by git">
        <Host tables={noChanges}>
          <Stage>
            <SessionPage session={shop} view="changes" />
          </Stage>
        </Host>
        <Host tables={refusedByGit}>
          <Stage>
            <SessionPage session={shop} view="changes" />
          </Stage>
        </Host>
      </Part>
      <Part title="On another host">
        <Stage>
          <SessionPage session="ahp-session:/other" view="changes" />
        </Stage>
      </Part>
      <Part title="Diff">
        <DiffView before={edited.before} after={edited.after} label="cart.js" />
      </Part>
      <Part title="Hunk with a comment">
        <Hunk />
      </Part>
      <Part title="Comment">
        <CommentForm line={3} draft={{ current: '' }} onSave={nothing} onClose={nothing} />
      </Part>
      <Part title="Edited arguments">
        {edits.map((edit) => (
          <EditedInput key={edit.kind} original='{"command":"npm test"}' edit={edit} onEdit={nothing} />
        ))}
      </Part>
    </Area>
  );
}

const noChanges = {
  ...world,
  states: { ...world.states, 'ahp-changeset:/shop': { status: 'ready' as const, files: [] } },
};

const refusedByGit = {
  ...world,
  answers: { ...world.answers, 'git/state': () => ({ refused: 'Trust this folder to see its git state.' }) },
};

function Hunk() {
  const [hunk] = compare(edited.before, edited.after)?.hunks ?? [];
  if (!hunk) return null;
  return (
    <HunkTable
      hunk={hunk}
      path="cart.js"
      layout="side"
      onComment={nothing}
      renderBelow={({ line, side }) =>
        line === 2 && side === 'after' ? (
          <CommentView
            comment={{ path: 'cart.js', side, line, quote: '', text: 'Round once, at the end.' }}
            onDelete={nothing}
          />
        ) : null
      }
    />
  );
}
