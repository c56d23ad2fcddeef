// What AHP demands of a host, in our own words, each with the test that verifies it and the file that test is in.
import type { Requirement } from './requirement.ts';

export interface AhpRequirement extends Requirement {
  /** The file of the test, from the root of the repository. */
  readonly file: string;
}

const greeting = 'src/doors/ahp/greeting.test.ts';
const sessions = 'src/doors/ahp/sessions.test.ts';
const turns = 'src/doors/ahp/turns.test.ts';
const refusals = 'src/doors/ahp/refusals.test.ts';
const old = 'src/doors/ahp/integer1/door.test.ts';
const law = 'src/doors/ahp/v1_0/outbound/entries.test.ts';
const oldLaw = 'src/doors/ahp/integer1/outbound/entries.test.ts';
const again = 'src/doors/ahp/reconnect.test.ts';
const files = 'src/doors/ahp/resources/resources.test.ts';
const terminals = 'src/doors/ahp/terminals.test.ts';
const mixed = 'src/doors/ahp/mixed.test.ts';
const chats = 'src/doors/ahp/chats.test.ts';
const extras = 'src/doors/ahp/extras.test.ts';
const clients = 'src/doors/ahp/clients.test.ts';
const lent = 'src/agents/native/tools/clientTools.test.ts';
const survives = 'src/doors/ahp/survives.test.ts';
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
  ['H2.atomic', 'H2, A11.3', 'src/doors/ahp/delivery/sendQueue.test.ts', 'an answer is sent in the step in which it is made', 'A snapshot and its subscription are one step; what comes later comes after the answer.'],
  ['H2.origin', 'A11.2', law, 'what a client dispatched comes back with its number at most once per entry', 'The sender gets its own action back once, with the id of its connection.'],
  ['H3.restart', 'H3', again, 'finds its place also on a new host, and an interrupted turn ended', 'Numbers and turns survive a restart; a turn that ran has ended.'],
  ['H3.kept', 'H3', turns, 'of the root are shared and survive, and allow nothing', 'Settings that clients share survive.'],
  ['H4.payload', 'H4, B9', old, rejected, 'Every payload is checked; a refusal goes to its sender alone, with a reason.'],
  ['H5.host-only', 'H5', old, rejected, 'Actions that only the host may send are rejected.'],
  ['H6.replay', 'H6, A11.6', again, 'gets what it missed, of several sessions in the order of the numbers, merged', 'A client that comes back gets what it missed.'],
  ['H6.missing', 'H6, A11.8', again, 'is told which channels are gone, and a name given twice is one', 'Channels that are gone are named; a name given twice counts once.'],
  ['H6.snapshot', 'H6', again, 'gets snapshots when it missed very much, or comes from another time', 'Where a replay cannot be, snapshots are.'],
  ['H6.unknown', 'H6', again, 'is refused when the host does not know it', 'An unknown client of the newest dialect is answered -32008.'],
  ['H6.tolerant', 'H6', old, 'a client that lost its connection gets what it missed, or snapshots; also one nobody knows', 'An unknown client of version 1 gets snapshots.'],
  ['H6.storm', 'H6', 'test/scenarios/ahp.test.ts', 'a hundred clients that lose their connections in a fast stream all end with the state of the host', 'However often connections break, nothing is missed and nothing told twice.'],
  ['H7', 'H7', sessions, 'can be followed and used before they are answered to exist', 'To subscribe right after createSession works.'],
  ['H8', 'H8', turns, 'is steered, queued behind, cancelled and gone back on', 'The queue goes on after a cancelled turn.'],
  ['H9.announce', 'H9', sessions, 'are announced and listed once somebody has written to them, in the spelling of the client', 'A session is announced once it has content.'],
  ['H9.dispose', 'H9', sessions, 'that a client disposes of stop, are gone for it, and keep their history', 'disposeSession keeps the history.'],
  ['H10.grace', 'H10', 'src/doors/ahp/clients.test.ts', 'a client that does not come back is not active any more', 'A client that is gone for 30 seconds is not active any more.'],
  ['H10.offered', 'H10, A15', lent, 'a client runs the tool it lends, and nobody else says what came of it', 'Tools of clients are offered to agents; only their owner completes a call.'],
  ['H10.fails', 'H10, A15', clients, 'what it was running for an agent has failed then, and not before', 'Calls of a client that does not come back within 30 seconds fail.'],
  ['A9.result', 'A8, A9', lent, 'a result that is to be confirmed waits for somebody, who says %s', 'A result may have to be confirmed before the agent sees it.'],
  ['H11.claims', 'H11', terminals, 'what a client does comes back to it, and to others as news', 'Only who holds a terminal uses it and gives it away; the list keeps in step.'],
  ['H11.shell', 'H11', 'src/host/terminals/liveTerminal.test.ts', 'a command with its output, title and place', 'Shell integration is taken out of the output and becomes commands.'],
  ['H11.bounded', 'H11', 'src/host/terminals/liveTerminal.test.ts', 'it waits for the beat, and nothing is lost', 'A program that writes too fast waits.'],
  ['H12.sandbox', 'H12, F', files, 'nothing outside the folders of sessions is served, whatever leads there', 'Resources are confined to the folders of sessions, links resolved.'],
  ['H12.bytes', 'H12', files, 'texts as texts, everything else in base64, and never half a file', 'Binary data is base64, sizes are capped.'],
  ['H12.marks', 'H12', files, 'writing: modes, places and marks, without traces where it fails', 'ifMatch and createOnly fail without a trace.'],
  ['H13', 'H13', sessions, 'are announced and listed once somebody has written to them, in the spelling of the client', 'Summaries of older peers have no chats.'],
  ['H14.unknown', 'H14', old, rejected, 'Unknown methods are -32601, unknown notifications are ignored.'],
  ['H15.upgrade', 'H15, C3', edge, 'an upgrade with %s', 'Token, origin and host are checked at the upgrade, on the path that VS Code uses, too.'],
  ['H15.secret', 'H15', edge, 'the token is in no log and no process list', 'The token is written nowhere.'],
  ['H15.quiet', 'H15', edge, 'connections that say nothing, or half a request, harm nobody, however many they are', 'The edge has limits.'],
  ['H16', 'H16, C4', greeting, 'VS Code may name the default chat through its session, and gets it back as it said it', 'The spellings of VS Code are understood.'],
  ['H17.recordings', 'H17', 'src/doors/ahp/recordings.test.ts', 'there are recordings', 'The recorded VS Code can go on at each step.'],
  ['H17.recordings-v1', 'H17', 'src/doors/ahp/integer1/recordings.test.ts', 'there are recordings, and every difference has a reason', 'The recorded host of version 1 is reproduced in kind.'],

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
  ['B5.fork', 'B5, A12', sessions, 'begins another chat, up to a turn, and nothing of it runs again', 'A chat can begin with the past of another.'],
  ['B5.view', 'B5', sessions, 'is shown in part where a client wants so, and fetched by a cursor', 'A view of some turns has a cursor, and older turns come as an action.'],
  ['B4.telemetry', 'B4, B6', chats, 'telemetry that nobody has configured is neither offered nor to be subscribed to', 'Telemetry channels are optional and offered only when configured; this host has no setting for them, so it advertises none and has no such channel.'],
  ['B7.changes', 'B7', chats, 'the list says how many lines a session has changed, without those that were taken back', 'The list says how many lines a session has changed.'],
  ['B5.changesets', 'B5, B7', sessions, 'what its turns did to files is a channel of the session, and one of each turn', 'What a session and a turn changed are channels.'],
  ['A12.fork', 'A12', old, 'turns are fetched in pages, and a session can begin with the past of another', 'A session can begin with the history up to a turn.'],
  ['A5.list', 'A5', old, 'a session is made, announced to its maker at once and to others when it has content', 'The list is told to every client, whatever it follows.'],
  ['A2.subagent', 'A2, B12', old, 'other chats of a session are sessions of their own, and those inside tool calls stand below theirs', 'Other chats are sessions, sub-agents stand below theirs.'],
  ['H3.survive', 'H3, A12', survives, 'drafts, the queue, marks and an open question survive a host that dies, and a client that comes back cannot tell', 'Drafts, half-filled answers, the queue, read and archive marks survive; an open question stands in the turn that broke off, which is resumable, and is asked again when it goes on.'],
  ['H3.number', 'H3, G4', again, 'finds its place also on a new host, and an interrupted turn ended', 'Sequence numbers never run backwards, also across restarts.'],
  ['H4.newest', 'H4, B9', refusals, '%s', 'In the newest dialect, too, every type, place and payload is checked, and a refusal goes to its sender alone.'],
  ['H5.newest', 'H5', refusals, '%s', 'Actions that only the host may send are rejected in the newest dialect, too.'],
  ['H6.version', 'H6, B2.6', again, 'keeps the version it had and its name', 'A reconnect keeps the version of the connection.'],
  ['H8.failed', 'H8', survives, 'drafts, the queue, marks and an open question survive a host that dies, and a client that comes back cannot tell', 'What waits behind a failed turn is held until somebody goes on; behind a completed or cancelled one it goes on by itself.'],
  ['H11.list', 'H11, G3', terminals, 'a terminal is made, listed in the root, followed and disposed of', 'The list of terminals in the root keeps in step.'],
  ['H11.both', 'H11, B12', terminals, 'both generations see one terminal, each in its own words', 'Both dialects show one terminal.'],
  ['H11.bytes', 'H11', 'src/io/pty/pty.test.ts', 'every byte arrives, however fast the program ends', 'No byte of a terminal is lost, in fifty runs of fifty.'],
  ['H11.scrollback', 'H11, A18', 'src/host/terminals/terminalContent.test.ts', 'silent commands without end stay bounded', 'What a terminal remembers is bounded.'],
  ['H12.codes', 'H12, A4', files, 'version 1 has the same files with its own codes, and hosts without files have none', 'Version 1 has its own codes, and a host without files answers -32601.'],
  ['H12.family', 'H12, B5', files, 'lists, copies, moves, directories and removal', 'Every request about files does what it says and fails as it should.'],
  ['H12.watch', 'H12, G3', files, 'a watch tells of changes to its follower, and ends with it', 'A watch tells of changes and ends with its follower.'],
  ['H14.newest', 'H14, B4, B10', refusals, '%s %j', 'What is not offered (automations, connections, what nobody knows) is answered -32601.'],
  ['H14.quiet', 'H14, F', 'src/rpc/peer.test.ts', 'thrown or rejected: $name', 'No stack trace and no path of the host is in an error.'],
  ['H15.frames', 'H15, C4', edge, '%s closes that connection alone', 'Frames of many megabytes pass, beyond the limit the connection ends, and only text is taken.'],
  ['H15.client-id', 'F', greeting, 'a client id belongs to the credential it came with first', 'A client id is bound to the credential it came with.'],
  ['H15.roles', 'F', 'src/doors/ahp/roles.test.ts', 'of all actions these answer or mark what was read; every other one decides what happens', 'What a client may do depends on its role; what is not listed needs the highest.'],
  ['H17.cases', 'H17, D', 'src/protocols/ahp/conformance.test.ts', '$name', 'All public cases hold: reducers of both dialects, round trips and negotiation.'],
  ['H17.any-action', 'H17, A8, B8', 'src/protocols/ahp/anyAction.test.ts', '%s', 'Whatever action the schemas allow, reducers never throw and never write to their input; unknown ones change nothing.'],
  ['H17.same', 'A8', 'src/protocols/ahp/sharing.test.ts', '%s %# %o', 'An action that changes nothing returns the identical state.'],
  ['H17.kill', 'H17', 'test/scenarios/ahp.test.ts', 'a client of version 1 and one of 1.0 see the same turns, tools, queue and steering', 'A client goes on after the host was killed.'],
  ['C2.real-client', 'H17, C2', 'src/doors/ahp/recordings.test.ts', '%s', 'Each recorded session of the real VS Code client could go on at every step. The client itself and the official library are in no registry, so their recordings stand in for them.'],
  ['C4.no-channel', 'C4', again, 'keeps the version it had and its name', 'A reconnect without a channel is taken.'],
  ['C4.title', 'C4', turns, 'of a session are kept, shown to everybody and come back', 'A title that is sent to the channel of a chat is the session\'s.'],
  ['C4.schemes', 'C4', greeting, 'a session is the same by any scheme', 'A session is the same in every spelling.'],
  ['C4.ignored', 'C2, B6', refusals, 'actions on channels that are not there, and malformed ones, are ignored', 'Private notifications of VS Code are ignored.'],
  ['C4.provisional', 'C4', sessions, 'that a client disposes of stop, are gone for it, and keep their history', 'A provisional session may be disposed of.'],
  ['C3.root', 'C3', greeting, 'answers with the root, who we are and where to begin', 'The root has agents with models, protected resources and a target for settings.'],
  ['B2.rules', 'B2', greeting, '%s', 'Versions are chosen by the caret rules, malformed ones are an error, 0.10.0 is an alias.'],
  ['B2.no-match', 'B2.5', greeting, 'that we cannot speak with ends the connection', 'Without a common version the connection ends, and the supported ones are named.'],
  ['B9.default-chat', 'B9', refusals, '%s', 'Another default chat cannot be set by a client.'],
  ['B9.types', 'B9', refusals, '%s', 'A missing turn, duration or title is a rejection.'],
  ['B9.cancelled', 'B9', turns, 'is steered, queued behind, cancelled and gone back on', 'A cancel of another turn than the running one is rejected.'],
  ['B9.owner', 'B9', lent, 'a client runs the tool it lends, and nobody else says what came of it', 'Only the contributor completes a call.'],
  ['B9.chats', 'B9', sessions, 'come with a first message and go again', 'The list of chats in the session is kept equal to the chats.'],
  ['B9.aggregate', 'B9', sessions, 'the most pressing of them speaks for their session', 'A session needs input where any chat does, failed where any did, and is as new as its newest chat.'],
  ['B9.error-data', 'B9', signIn, 'a client brings a token for the resource of a server, which then lends its tools; it is written nowhere', 'Errors carry their data in the form of their dialect.'],
  ['B8.toggled', 'A8, B8', extras, 'what extends agents is switched off for a session and on again, in both versions, and stays so', 'Clients switch off and on what extends agents, for one session.'],
  ['B8.chat-folders', 'B7, B8', refusals, '%s', 'Chats work in the folders of their session: they have none of their own, and a wish for some is rejected.'],
  ['A7.diffs', 'A7, A12', old, 'a turn with reasoning, a tool that was asked about, usage and edits', 'The list of version 1 shows what sessions did to files, and tells when that changes.'],
  ['A15.attached', 'A4, A15, B5', 'test/scenarios/ahpAttached.test.ts', 'what is attached and only its client has is read from the client, which may want to be asked first', 'The host reads what is attached and only its client has, and asks for permission where the client wants that. It never writes, copies, moves, deletes or watches at a client: nothing here needs it.'],
  ['B5.workspace', 'B5', extras, 'a workspace brings modes and commands along, in both versions', 'What a workspace brings along can be set and completed.'],
  ['A16.tokens', 'A16, B5, B6', signIn, 'a client brings a token for the resource of a server, which then lends its tools; it is written nowhere', 'What wants a sign-in is advertised and asked for by name; a client brings the token, a bad one and one for an unknown resource are errors, and none is kept on disk.'],
  ['F.tokens', 'F', signIn, 'a server that calls itself by the name of another is known by its address alone', 'A token goes only to the one it is for.'],
  ['B9.first-wins', 'B9', turns, 'is confirmed by whoever answers first; the other is told who that was', 'The first confirmation wins.'],
  ['B9.ignored', 'B9', refusals, 'actions on channels that are not there, and malformed ones, are ignored', 'Actions on unknown channels are ignored.'],
];

export const ahpRequirements: readonly AhpRequirement[] = rows.map(([id, source, file, test, text]) => ({ id, source, file, test, text }));

/** What is not met yet, so that nobody takes the list above for more than it is. */
export const unmet: readonly Omit<Requirement, 'test'>[] = [];
