// What AHP demands of a host, in our own words, each with the test that verifies it and the file that test is in.
import type { Requirement } from './requirement.ts';

export interface AhpRequirement extends Requirement {
  /** The file of the test, from the root of the repository. */
  readonly file: string;
}

const door = 'src/doors/ahp/door.test.ts';
const old = 'src/doors/ahp/v1/door.test.ts';
const law = 'src/doors/ahp/newest/outbound.test.ts';
const oldLaw = 'src/doors/ahp/v1/outbound.test.ts';
const again = 'src/doors/ahp/reconnect.test.ts';
const files = 'src/doors/ahp/resources.test.ts';
const terminals = 'src/doors/ahp/terminals.test.ts';
const mixed = 'src/doors/ahp/mixed.test.ts';
const chats = 'src/doors/ahp/chats.test.ts';
const extras = 'src/doors/ahp/extras.test.ts';
const clients = 'src/doors/ahp/clients.test.ts';
const lent = 'src/agents/native/clientTools.test.ts';
const signIn = 'test/scenarios/ahpSignIn.test.ts';
const edge = 'test/attacks/edge.test.ts';
const rejected = 'what may not be is rejected to its sender alone, and what concerns nobody is ignored';

const rows: readonly (readonly [id: string, source: string, file: string, test: string, text: string])[] = [
  ['H1.shape', 'H1, B2', old, 'the first message chooses the version by its shape', 'A number speaks version 1, a list the newest; the list wins where both are there, and neither is an error.'],
  ['H1.one-engine', 'H1, B12', mixed, 'a client of version 1 and one of 1.0 follow one session with tools, questions, queue and steering', 'Both dialects are views of one log.'],
  ['H1.process', 'H1', 'test/scenarios/ahp.test.ts', 'a client of version 1 and one of 1.0 see the same turns, tools, queue and steering', 'Both dialects agree through the real program, also after it was killed.'],
  ['H1.console', 'H1, B12', 'test/scenarios/consoleMixed.test.ts', 'three generations of clients follow one session with tools, questions, a queue and steering, and agree', 'A client of version 1, one of 1.0 and the console agree on every turn.'],
  ['H2.prefix', 'H2', law, 'the snapshot at any entry and the actions after it make the later snapshot', 'What is told and what is shown are the same, from any entry to any later one.'],
  ['H2.prefix-v1', 'H2', oldLaw, 'the snapshot at any entry and the actions after it make the later snapshot', 'The same in version 1.'],
  ['H2.numbers', 'H2, A11.1', law, 'numbers grow over a whole log, and an entry becomes no more actions than it has numbers', 'There is one sequence of numbers for the host, and it grows.'],
  ['H2.atomic', 'H2, A11.3', 'src/doors/ahp/outlet.test.ts', 'an answer is sent in the step in which it is made', 'A snapshot and its subscription are one step; what comes later comes after the answer.'],
  ['H2.origin', 'A11.2', law, 'what a client dispatched comes back with its number at most once per entry', 'The sender gets its own action back once, with the id of its connection.'],
  ['H3.restart', 'H3', again, 'finds its place also on a new host, and an interrupted turn ended', 'Numbers and turns survive a restart; a turn that ran has ended.'],
  ['H3.kept', 'H3', door, 'of the root are shared and survive, and allow nothing', 'Settings that clients share survive.'],
  ['H4.payload', 'H4, B9', old, rejected, 'Every payload is checked; a refusal goes to its sender alone, with a reason.'],
  ['H5.host-only', 'H5', old, rejected, 'Actions that only the host may send are rejected.'],
  ['H6.replay', 'H6, A11.6', again, 'gets what it missed, of several sessions in the order of the numbers, merged', 'A client that comes back gets what it missed.'],
  ['H6.missing', 'H6, A11.8', again, 'is told which channels are gone, and a name given twice is one', 'Channels that are gone are named; a name given twice counts once.'],
  ['H6.snapshot', 'H6', again, 'gets snapshots when it missed very much, or comes from another time', 'Where a replay cannot be, snapshots are.'],
  ['H6.unknown', 'H6', again, 'is refused when the host does not know it', 'An unknown client of the newest dialect is answered -32008.'],
  ['H6.tolerant', 'H6', old, 'a client that lost its connection gets what it missed, or snapshots; also one nobody knows', 'An unknown client of version 1 gets snapshots.'],
  ['H6.storm', 'H6', 'test/scenarios/ahp.test.ts', 'a hundred clients that lose their connections in a fast stream all end with the state of the host', 'However often connections break, nothing is missed and nothing told twice.'],
  ['H7', 'H7', door, 'can be followed and used before they are answered to exist', 'To subscribe right after createSession works.'],
  ['H8', 'H8', door, 'is steered, queued behind, cancelled and gone back on', 'The queue goes on after a cancelled turn.'],
  ['H9.announce', 'H9', door, 'are announced and listed once somebody has written to them, in the spelling of the client', 'A session is announced once it has content.'],
  ['H9.dispose', 'H9', door, 'that a client disposes of stop, are gone for it, and keep their history', 'disposeSession keeps the history.'],
  ['H10.grace', 'H10', 'src/doors/ahp/clients.test.ts', 'a client that does not come back is not active any more', 'A client that is gone for 30 seconds is not active any more.'],
  ['H10.offered', 'H10, A15', lent, 'a client runs the tool it lends, and nobody else says what came of it', 'Tools of clients are offered to agents; only their owner completes a call.'],
  ['H10.fails', 'H10, A15', clients, 'what it was running for an agent has failed then, and not before', 'Calls of a client that does not come back within 30 seconds fail.'],
  ['A9.result', 'A8, A9', lent, 'a result that is to be confirmed waits for somebody, who says %s', 'A result may have to be confirmed before the agent sees it.'],
  ['H11.claims', 'H11', terminals, 'what a client does comes back to it, and to others as news', 'Only who holds a terminal uses it and gives it away; the list keeps in step.'],
  ['H11.shell', 'H11', 'src/host/liveTerminal.test.ts', 'a command with its output, title and place', 'Shell integration is taken out of the output and becomes commands.'],
  ['H11.bounded', 'H11', 'src/host/liveTerminal.test.ts', 'it waits for the beat, and nothing is lost', 'A program that writes too fast waits.'],
  ['H12.sandbox', 'H12, F', files, 'nothing outside the folders of sessions is served, whatever leads there', 'Resources are confined to the folders of sessions, links resolved.'],
  ['H12.bytes', 'H12', files, 'texts as texts, everything else in base64, and never half a file', 'Binary data is base64, sizes are capped.'],
  ['H12.marks', 'H12', files, 'writing: modes, places and marks, without traces where it fails', 'ifMatch and createOnly fail without a trace.'],
  ['H13', 'H13', door, 'are announced and listed once somebody has written to them, in the spelling of the client', 'Summaries of older peers have no chats.'],
  ['H14.unknown', 'H14', old, rejected, 'Unknown methods are -32601, unknown notifications are ignored.'],
  ['H15.upgrade', 'H15, C3', edge, 'an upgrade with %s', 'Token, origin and host are checked at the upgrade, on the path that VS Code uses, too.'],
  ['H15.secret', 'H15', edge, 'the token is in no log and no process list', 'The token is written nowhere.'],
  ['H15.quiet', 'H15', edge, 'a connection that says nothing, or half a request, harms nobody', 'The edge has limits.'],
  ['H16', 'H16, C4', door, 'VS Code may name the default chat through its session, and gets it back as it said it', 'The spellings of VS Code are understood.'],
  ['H17.recordings', 'H17', 'src/doors/ahp/recordings.test.ts', 'there are recordings', 'The recorded VS Code can go on at each step.'],
  ['H17.recordings-v1', 'H17', 'src/doors/ahp/v1/recordings.test.ts', 'there are recordings, and every difference has a reason', 'The recorded host of version 1 is reproduced in kind.'],

  ['A10.unknown-uri', 'A10', old, rejected, 'An action on an unknown session is ignored without an echo.'],
  ['A10.not-client', 'A10', old, rejected, 'A type that clients may not dispatch is rejected.'],
  ['A10.confirmed', 'A10', old, 'a turn with reasoning, a tool that was asked about, usage and edits', 'A tool call that does not wait cannot be confirmed.'],
  ['A10.cancelled', 'A10', old, rejected, 'Without a turn there is nothing to cancel.'],
  ['A10.model', 'A10', old, 'a second turn is rejected while one runs; the model changes after it', 'A change of the model waits for the end of the turn.'],
  ['A10.answer', 'A10', old, 'questions, drafts of answers, the queue and steering', 'An answer of the wrong kind is rejected.'],
  ['A10.completed', 'A10', old, 'questions, drafts of answers, the queue and steering', 'A request is not accepted without its required answers.'],
  ['A10.removed', 'A10', old, 'questions, drafts of answers, the queue and steering', 'A message that does not wait there cannot be removed.'],
  ['A10.active', 'A10', old, 'one client is active at a time, and releases it', 'Nobody claims a session that another client has, or for another.'],
  ['A10.tools', 'A10', old, rejected, 'Only the active client changes its tools.'],
  ['A10.owner', 'A10', old, rejected, 'Who does not own a tool call cannot complete it.'],
  ['A10.terminal', 'A10', terminals, 'what a client does comes back to it, and to others as news', 'Who does not hold a terminal cannot claim it.'],
  ['A10.second-turn', 'A10', old, 'a second turn is rejected while one runs; the model changes after it', 'A second turn is rejected while one runs.'],
  ['H3.resume', 'H3, B8', chats, 'a turn that broke off goes on, in both versions', 'A turn that failed or was interrupted can be resumed.'],
  ['B5.side-chat', 'B5', chats, 'a side chat knows what it is about and repeats none of it', 'A side chat can be made from a turn.'],
  ['B5.move-chat', 'B5', chats, 'a chat is moved within its session, to another and to a new one, with whoever follows it', 'A chat can be moved, keeps its name, and the move is atomic.'],
  ['B5.latency', 'B5', chats, 'deltas are gathered as long as a subscriber allows, and end the same', 'Deltas are merged up to the delay that a subscriber allows.'],
  ['B5.part-truncated', 'B5, B8', chats, 'a client that has only the newest turns goes back with everybody else', 'A client that has loaded only some turns follows a truncation to one it has not.'],
  ['B5.changeset-operations', 'B5, B7', chats, 'files are looked at and put back, one or all, unless they have changed since', 'Changesets offer review and undo, for a file and for all.'],
  ['B8.chat-marks', 'B8', chats, 'chats have marks of their own, which peers of 0.9 do not see, and which survive', 'Chats have marks of their own for read and archived.'],
  ['B8.older', 'B2.7, H13', law, 'also for peers of 0.9, who know less of chats', 'Actions and fields newer than the negotiated version are not sent.'],
  ['A18.tool-terminals', 'A18, B7', chats, 'a command that a tool runs is a terminal one can look at, live and later', 'A tool call that runs a command shows a live terminal.'],
  ['B5.config', 'B5, A12', extras, 'a session is set up by what its agent can be set to', 'What an agent can be set to has a schema, values and completions.'],
  ['B5.completions', 'B5', extras, 'a word becomes a file, a command or another conversation', 'Files, commands and conversations are completed.'],
  ['B7.customizations', 'B7, B8', extras, 'servers of tools are shown as they are, in both versions, and started and stopped', 'What extends an agent is shown with its status.'],
  ['A4.reverse', 'A4, A15, B5', extras, 'what a client brings along is read from the client', 'The host asks clients for their resources.'],
  ['B5.fork', 'B5, A12', door, 'begins another chat, up to a turn, and nothing of it runs again', 'A chat can begin with the past of another.'],
  ['B5.view', 'B5', door, 'is shown in part where a client wants so, and fetched by a cursor', 'A view of some turns has a cursor, and older turns come as an action.'],
  ['B4.telemetry', 'B4, B6', chats, 'telemetry that nobody has configured is neither offered nor to be subscribed to', 'Telemetry channels are optional and offered only when configured; this host has no setting for them, so it advertises none and has no such channel.'],
  ['B7.changes', 'B7', chats, 'the list says how many lines a session has changed, without those that were taken back', 'The list says how many lines a session has changed.'],
  ['B5.changesets', 'B5, B7', door, 'what its turns did to files is a channel of the session, and one of each turn', 'What a session and a turn changed are channels.'],
  ['A12.fork', 'A12', old, 'turns are fetched in pages, and a session can begin with the past of another', 'A session can begin with the history up to a turn.'],
  ['A5.list', 'A5', old, 'a session is made, announced to its maker at once and to others when it has content', 'The list is told to every client, whatever it follows.'],
  ['A2.subagent', 'A2, B12', old, 'other chats of a session are sessions of their own, and those inside tool calls stand below theirs', 'Other chats are sessions, sub-agents stand below theirs.'],
  ['A16.tokens', 'A16, B5, B6', signIn, 'a client brings a token for the resource of a server, which then lends its tools; it is written nowhere', 'What wants a sign-in is advertised and asked for by name; a client brings the token, a bad one and one for an unknown resource are errors, and none is kept on disk.'],
  ['F.tokens', 'F', signIn, 'a server that calls itself by the name of another is known by its address alone', 'A token goes only to the one it is for.'],
  ['B9.first-wins', 'B9', door, 'is confirmed by whoever answers first; the other is told who that was', 'The first confirmation wins.'],
  ['B9.ignored', 'B9', door, 'actions on channels that are not there, and malformed ones, are ignored', 'Actions on unknown channels are ignored.'],
];

export const ahpRequirements: readonly AhpRequirement[] = rows.map(([id, source, file, test, text]) => ({ id, source, file, test, text }));

/** What is not met yet, so that nobody takes the list above for more than it is. */
export const unmet: readonly Omit<Requirement, 'test'>[] = [];
