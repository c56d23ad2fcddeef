// Turns with every kind of part: text, calls, approvals, questions, errors.
import { TurnView } from '../../views/transcript/TurnView.tsx';
import { TurnActionsContext } from '../../views/transcript/turnActions.ts';
import { Area, Host, Opened, Part, Pressed } from '../Part.tsx';
import { manyTurns, moreTurns } from '../samples/moreTurns.ts';
import { activeTurn, turns } from '../samples/turns.ts';
import { world } from '../samples/world.ts';
import { nothing } from '../surroundings.ts';

const actions = {
  ...{ repeat: nothing, resume: nothing, hasFiles: true },
  edit: () => Promise.resolve(),
  fork: () => Promise.resolve(),
  rewind: () => Promise.resolve(),
};

export function Conversation() {
  return (
    <Area title="Conversation">
      <TurnParts waits={false} />
      <Part title="Actions of a message">
        <div class="room-above">
          <Opened>
            <Finished />
          </Opened>
        </div>
      </Part>
    </Area>
  );
}

/** What waits for a person. */
export function Asks() {
  return (
    <Area title="Approvals and questions">
      <TurnParts waits />
      <Part title="View only">
        <Host tables={{ ...world, access: { role: 'observe' } }}>
          <div class="transcript">
            <TurnView turn={activeTurn} last />
          </div>
        </Host>
      </Part>
    </Area>
  );
}

function TurnParts({ waits }: { readonly waits: boolean }) {
  return (
    <TurnActionsContext.Provider value={actions}>
      {[...turns, ...moreTurns]
        .filter(({ turn }) => waits === !('state' in turn))
        .map(({ title, turn, presses = [] }) => (
          <Part key={title} title={title}>
            <Pressed names={presses}>
              <div class="transcript">
                <TurnView turn={turn} last />
              </div>
            </Pressed>
          </Part>
        ))}
    </TurnActionsContext.Provider>
  );
}

function Finished() {
  return (
    <TurnActionsContext.Provider value={actions}>
      <div class="transcript">
        {manyTurns.slice(0, 1).map((turn) => (
          <TurnView key={turn.id} turn={turn} last />
        ))}
      </div>
    </TurnActionsContext.Provider>
  );
}
