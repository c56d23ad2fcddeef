// What ACP demands of a client, in our own words, each with the test that verifies it: our host is the client
// of the agents it drives.
export interface ClientRequirement {
  readonly id: string;
  /** The demand in our own words. */
  readonly text: string;
  /** Where the reference says so, by section. */
  readonly source: string;
  /** The file with the test that verifies it, and its title there. */
  readonly file: string;
  readonly test: string;
}

const agent = 'src/agents/acp/agent.test.ts';
const contract = 'test/contracts/agent.test.ts';
const faults = 'test/faults/agent.test.ts';
const files = 'src/agents/acp/requests/files.test.ts';
const history = 'src/agents/acp/session/history.test.ts';
const permissions = 'src/agents/acp/requests/permissions.test.ts';
const real = 'test/realAgents/realAgents.test.ts';
const servers = 'src/agents/acp/session/servers.test.ts';
const signIn = 'src/agents/acp/requests/signIn.test.ts';
const terminals = 'src/agents/acp/requests/terminals.test.ts';
const updates = 'src/agents/acp/turn/updates.test.ts';

const rows: readonly (readonly [id: string, source: string, file: string, test: string, text: string])[] = [
  [
    'wire.garbage',
    '2.1',
    faults,
    'on its output is not listened to, and says so',
    'What is no message on the output of an agent costs nothing but itself.',
  ],
  [
    'wire.long',
    '2.1',
    faults,
    'in one line that never seems to end goes on after it',
    'A line beyond the limit is left out and the connection lives.',
  ],
  [
    'wire.strange',
    '2.4',
    faults,
    'in words we do not know is answered or ignored',
    'Unknown requests are refused; unknown notifications, updates and extensions are ignored.',
  ],
  [
    'version',
    '3',
    faults,
    'an agent that does not start',
    'An agent that answers in a version we do not speak is not used, and the user told.',
  ],
  [
    'capabilities',
    '3.2, 8',
    servers,
    'those that clients want and those of the settings go to the agent, as far as it takes them',
    'What an agent does not advertise is not asked of it.',
  ],
  [
    'auth.agent',
    '3.3',
    signIn,
    'is a question whose answer the agent acts on',
    'A method that the agent handles is called by its id, and the session is opened again.',
  ],
  [
    'auth.terminal',
    '3.3',
    signIn,
    'shows the terminal to everybody, takes what anybody types, and starts the agent anew',
    'A terminal method runs the known program with more arguments and variables in a terminal; exit 0 ' +
      'is success; then the agent is started anew.',
  ],
  [
    'auth.legacy',
    '2.4, 3.3',
    signIn,
    'works for agents that name their command in the old way',
    'The form from before terminal methods is understood.',
  ],
  [
    'auth.late',
    '2.3',
    signIn,
    'an agent that has signed its user out in the middle of things asks, and the message is not lost',
    'A sign-in that is wanted later is asked for then.',
  ],
  [
    'session.settings',
    '4.3, 9.1',
    agent,
    'is known after the first start, chosen, and followed',
    'Config options, modes, or a list of models, whichever the agent has, are read and set.',
  ],
  [
    'session.early',
    '7.2',
    contract,
    "'speaks-early'",
    'Updates before the answer to session/new are kept for the session.',
  ],
  [
    'session.load',
    '4.1, 7.3',
    faults,
    'adds nothing to the log that is there already',
    'What is replayed before the answer to session/load is recognised as the past.',
  ],
  [
    'session.directories',
    '4.1',
    agent,
    'a session of several folders has them all, if the agent can',
    'Additional folders go only to agents that take them.',
  ],
  [
    'session.fork',
    '9.2',
    history,
    'is copied by an agent that can',
    "A fork is the agent's own where it offers one.",
  ],
  [
    'session.delete',
    '4.2',
    history,
    'of a removed session is forgotten by the agent, too',
    'A session that is removed is deleted at the agent, if it can.',
  ],
  [
    'prompt.content',
    '4.4',
    agent,
    'goes out as rich as the agent takes it',
    'Content of a kind that the agent does not take is not sent to it.',
  ],
  [
    'prompt.one',
    '16.3',
    'test/contracts/agent.ts',
    'a message that comes while it works waits for its turn',
    'Never two prompts of one session at a time.',
  ],
  [
    'prompt.stop',
    '4.4',
    agent,
    'a turn ends as the agent says',
    'Every stop reason, also an unknown one, ends the turn.',
  ],
  [
    'steer',
    '2.4',
    agent,
    'goes to an agent that can take it, and with the next message where it does not',
    'A running turn is steered where the agent says that it can be.',
  ],
  [
    'permission.option',
    '5.1',
    permissions,
    'permissionAnswer',
    "A permission is answered with the id of one of the agent's options.",
  ],
  [
    'permission.cancelled',
    '5.1, 7.6',
    faults,
    'and is stopped hears that it was cancelled, and its late words are not heard',
    'Open permissions are answered as cancelled after a stop, and only then.',
  ],
  [
    'permission.shape',
    '5.1, 8',
    faults,
    'in a shape nobody knows is put to a human all the same',
    'A question of an unknown shape is put to a human and fails closed.',
  ],
  [
    'permission.first',
    '5.1, 7.5',
    faults,
    'before it has told of the call is understood',
    'A permission may be the first mention of its call.',
  ],
  [
    'permission.twice',
    '5.1',
    faults,
    'twice about the same call is answered twice',
    'Several permissions of a session may be open.',
  ],
  [
    'fs.unsaved',
    '5.2',
    files,
    'files are as whichever attached editor has them unsaved',
    'Reading gives the unsaved text of an editor.',
  ],
  [
    'fs.lines',
    '5.2',
    files,
    'are read from a line on',
    'Lines count from one; a limit is a number of lines.',
  ],
  ['fs.missing', '5.2', files, 'that are not there are missed', 'A missing file is -32002.'],
  [
    'fs.create',
    '5.2',
    files,
    'are written, with the folders above them',
    'Writing creates the file and the folders above it.',
  ],
  [
    'terminal.limit',
    '5.3',
    terminals,
    'run, print, end and are released; what was printed stays with the call',
    'Output is cut from its beginning on a character boundary, and the terminal is unknown after its ' +
      'release while its call still shows it.',
  ],
  [
    'terminal.kill',
    '5.3',
    terminals,
    'print while they run, and are killed',
    'A killed terminal keeps its id and its output.',
  ],
  ['terminal.line', '5.3', contract, "'uses-terminals'", 'A command without arguments may be a whole line.'],
  [
    'elicitation.name',
    '5.4',
    signIn,
    'is put to a human and the answer given back',
    'A form names who asks and can be declined or cancelled.',
  ],
  [
    'elicitation.url',
    '5.4',
    signIn,
    'that was followed elsewhere needs no answer',
    'An address is shown whole with its host and never opened by us; its completion may be told.',
  ],
  [
    'update.lenient',
    '10',
    updates,
    'whatever an agent sends, nothing throws and the log refuses nothing',
    'One bad item never costs a message.',
  ],
  [
    'update.late',
    '7.4',
    faults,
    'a moment after its answer still speaks in it',
    'Updates are taken at any time, also after the answer.',
  ],
  ['update.unasked', '7.4', faults, 'gets a turn of its own', 'Updates outside a turn are shown.'],
  [
    'cancel.end-turn',
    '16.3',
    contract,
    "'ends-cancelled-turns'",
    'A stopped turn that the agent calls complete is a stopped turn.',
  ],
  [
    'cancel.ignored',
    '7.6, 8',
    faults,
    'is noticed, and a stop that it ignores is over in two seconds',
    'An agent that does not stop is ended.',
  ],
  ['silence', '8', faults, 'when it starts is given up', 'Silence, not duration, is what is given up on.'],
  [
    'process.end',
    '2.1, 8',
    faults,
    'no process is left when the session is let go, not even of an agent that ignores everything',
    'End of input, then TERM, then KILL of the whole group.',
  ],
  [
    'process.again',
    '8',
    faults,
    'fails the turn within a second and loses no word; the next message finds it again',
    'After a crash: start, initialize, resume, else load, else new with the past.',
  ],
  [
    'process.lost',
    '8',
    faults,
    'and cannot find its conversation again begins anew and says why',
    'A conversation that cannot be found again is begun anew with what was said.',
  ],
  [
    'mcp.over-acp',
    '9.5',
    servers,
    'one that a client keeps is reached through us by an agent that can, each request for itself',
    'Servers of clients are offered over ACP where the agent says that it can use them.',
  ],
  [
    'mcp.connections',
    '9.5',
    servers,
    'and in the earlier form over connections, in both directions',
    'The earlier forms with connections are understood.',
  ],
  [
    'usage',
    '9.3',
    agent,
    'what a turn used is counted, and what it cost is what it added',
    'Tokens and costs are counted whichever way they are told.',
  ],
  [
    'real',
    '16',
    real,
    'is asked, permitted from another editor, stopped, killed and restarted',
    'The agents that people use work, as published.',
  ],
];

export const acpClientRequirements: readonly ClientRequirement[] = rows.map(
  ([id, source, file, test, text]) => ({ id, source, file, test, text }),
);
