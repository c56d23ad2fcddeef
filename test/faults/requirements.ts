// What must hold when something fails, one by one, with the tests that verify it. The parts that no test
// here can verify are listed with the reason.
import type { NamedTest, StandingRequirement, UntestedRequirement } from '../requirements/standing.ts';

const kill = 'test/faults/kill.test.ts';
const store = 'test/faults/store.test.ts';
const agent = 'test/faults/agent.test.ts';
const provider = 'test/faults/provider.test.ts';
const actions = 'test/faults/clientActions.test.ts';
const starting = 'test/faults/starting.test.ts';
const processes = 'test/scenarios/processes.test.ts';
const reconnect = 'src/doors/ahp/reconnect.test.ts';
const sqlite = 'src/io/store/sqlite/sqlite.test.ts';
const salvage = 'src/io/store/sqlite/salvage/salvage.test.ts';
const ownServers = 'src/io/mcp/toolServers.test.ts';
const native = 'test/scenarios/toolServersNative.test.ts';
const retries = 'src/agents/native/turn/answerRetries.test.ts';
const fuzz = 'src/rpc/fuzz.test.ts';
const sockets = 'src/rpc/transports/websocket.test.ts';
const damage = 'test/faults/damage.test.ts';
const damageKinds = 'test/faults/damageKinds.ts';
const pty = 'src/io/pty/pty.test.ts';

const rows: readonly (readonly [id: string, text: string, ...tests: NamedTest[]])[] = [
  [
    'F1',
    'A host that is killed while it streams has every word that a client was shown, and the next prompt works.',
    [kill, '${rounds} rounds'],
    [
      'test/faults/killedWriter.test.ts',
      'nothing that was acknowledged is lost when the process is killed, however often',
    ],
    [store, 'nothing is lost when the process is killed while it packs entries'],
  ],
  [
    'F2',
    'A host that is killed while a tool runs leaves no process; the call is marked and never run again.',
    [kill, '${rounds} rounds'],
    [
      'src/rpc/processes/orphanCleaner.test.ts',
      'a program that heeds nothing does not outlive us, even when we are killed',
    ],
  ],
  [
    'F3',
    'A host that is killed while it asks loses no answer and takes none twice.',
    [kill, '${rounds} rounds'],
    [
      'src/doors/ahp/survives.test.ts',
      'drafts, the queue, marks and an open question survive a host that dies, and a client that comes back cannot tell',
    ],
  ],
  [
    'F4',
    'A host that is killed while it starts, summarises or writes its list starts again with the same sessions.',
    [kill, '${rounds} rounds'],
    [salvage, 'a host that died between the two renames is finished by the next'],
    [sqlite, 'a row from before the last changes'],
    [
      'src/agents/native/turn/compaction/compaction.test.ts',
      'a stop while the summary is written leaves the conversation as it was',
    ],
  ],
  [
    'F5',
    'A full disk stops the turn with a clear error in every protocol; work goes on when there is room.',
    ['test/faults/fullDisk.test.ts', 'a full disk is told in every protocol, and work goes on after it'],
    ['test/faults/fullDisk.test.ts', '`parley doctor` says that the disk is full'],
    [
      'src/host/session/live.test.ts',
      'whoever comes while nothing can be stored is told once that the turn was cut off',
    ],
    [store, 'stops writing with a clear error, keeps what is stored, and goes on when there is room'],
    [starting, 'parley $command tells its client why there is no host'],
  ],
  [
    'F6',
    'After a loss of power the log ends with a whole record, and other sessions are untouched.',
    [store, 'of the write-ahead log costs only whole commits at its end'],
    [store, 'of the database leaves what is before it'],
    [damageKinds, 'the write-ahead log is cut in the middle'],
    [damageKinds, 'a bit of the commits of the newest turn flips'],
    ['test/faults/powerCut.test.ts', 'on $title a loss of power costs nothing that was acknowledged'],
  ],
  [
    'F7',
    'A write or sync that fails is neither shown nor acknowledged, and never taken for done.',
    [
      'test/faults/writeError.test.ts',
      'a write that fails at any moment loses itself alone, and the next turn works',
    ],
    [
      'test/faults/writeError.test.ts',
      'after a sync that failed, the log is brought to the disk in another way before anything follows',
    ],
    ['test/faults/powerCut.test.ts', 'on $title a loss of power costs nothing that was acknowledged'],
    [
      'src/io/store/sqlite/walSync.test.ts',
      'after a failed sync no other sync counts until the log came to the disk in another way',
    ],
    [store, 'that is full again and again under a limit on file sizes loses nothing'],
    [
      'src/host/host.test.ts',
      'what cannot be stored is not shown, stops the turn, and is over when the store works again',
    ],
  ],
  [
    'F8',
    'A client that never reads costs bounded memory, and others do not notice.',
    [
      'src/rpc/transports/transport.test.ts',
      'a reader that never reads is dropped and the memory for it is bounded',
    ],
    [reconnect, 'falls behind without holding anybody up, and catches up merged and in order'],
    ['src/doors/eca/clients.test.ts', 'holds nobody up and misses nothing'],
    [
      'src/doors/acp/together.test.ts',
      'a client that stops reading gets the rest later, in order, and its answer last',
    ],
  ],
  [
    'F9',
    'A slow client gets a stream in larger pieces and ends with the same state.',
    [
      'test/faults/slowClient.test.ts',
      'a stream of megabytes reaches a slow client merged, and a fast one at once',
    ],
    [
      'src/host/session/live.test.ts',
      'a client that stalls at any moment ends where the host is, with fewer messages, and holds nobody up',
    ],
  ],
  [
    'F10',
    'A client that comes back gets everything that it missed, once and in order, also from a new host.',
    [reconnect, 'goes on in the middle of a turn, whatever it had seen of it'],
    [reconnect, 'finds its place also on a new host, and an interrupted turn ended'],
    [reconnect, 'on a store that writes %s'],
    [
      'test/scenarios/ahp.test.ts',
      'a hundred clients that lose their connections in a fast stream all end with the state of the host',
    ],
  ],
  [
    'F11',
    'A client that missed too much gets a snapshot.',
    [reconnect, 'gets snapshots when it missed very much, or comes from another time'],
  ],
  [
    'F12',
    'An action that comes twice, out of order or for another turn is done at most once and breaks nothing.',
    [actions, 'an action that comes twice is done once, and the second one is rejected with a reason'],
    [actions, 'actions in any order, with any numbers, for any turn, break nothing'],
  ],
  [
    'F13',
    'Of an approval and a denial at the same moment one counts, and both clients are told.',
    [actions, 'of an approval and a denial at the same moment one counts, and the other client is told'],
    ['test/scenarios/ecaTogether.test.ts', 'from %s runs the call for all, and the others come too late'],
  ],
  [
    'F14',
    'An agent that dies fails its turn within a second; the next message starts it again, up to a limit.',
    [agent, 'fails the turn within a second and loses no word; the next message finds it again'],
    [agent, 'again and again is not started a sixth time'],
  ],
  [
    'F15',
    'An agent that hangs is noticed, and a stop that it ignores is over in two seconds.',
    [agent, 'is noticed, and a stop that it ignores is over in two seconds'],
    [
      'test/faults/ignoredStop.test.ts',
      'a stop ends the turn in two seconds in every protocol, and the agent, which ignores it, after ten',
    ],
    [agent, 'when it starts is given up'],
    [agent, 'no process is left when the session is let go, not even of an agent that ignores everything'],
  ],
  [
    'F16',
    'What an agent says in garbage, about other sessions or after its turn reaches nobody.',
    [agent, 'on its output is not listened to, and says so'],
    [agent, 'about other sessions tells nobody'],
    [agent, 'and is stopped hears that it was cancelled, and its late words are not heard'],
    [
      'src/agents/acp/turn/updates.test.ts',
      'whatever an agent sends, nothing throws and the log refuses nothing',
    ],
  ],
  [
    'F17',
    'A tool server that crashes, hangs or says too much fails its calls in time and holds up nothing.',
    [native, 'a crash fails one call, and the next one finds the server again'],
    [native, 'a call that hangs fails in time'],
    [ownServers, 'after a crash it is started again, and given up after five'],
    [ownServers, 'a huge result is cut'],
    [
      'test/scenarios/toolServers.test.ts',
      'tools that the settings take away are not offered, and servers that never answer hold up no turn',
    ],
  ],
  [
    'F18',
    'A provider that refuses for a while is asked again a limited number of times, visibly, and a stop is at once.',
    [provider, 'for too many requests waits as long as it is told'],
    [retries, 'the waits grow, and after the last attempt the turn fails with the words of the provider'],
    [retries, 'a stop ends the wait at once'],
  ],
  [
    'F19',
    'An answer that breaks off is continued, with each word shown once.',
    [provider, 'again and again is complete in the end, with each word once'],
    [retries, 'the next attempt gets what was shown, and the history afterwards is one answer'],
  ],
  ['F20', 'An answer that falls silent is given up and continued.', [provider, 'in silence is continued']],
  [
    'F21',
    'A model that talks nonsense ends the turn in words, or is told what is wrong.',
    [provider, '${name} ends in words'],
    [
      'src/agents/native/agent.test.ts',
      'a model that always calls is stopped after so many steps, and ids it repeats are made unique',
    ],
    [
      'src/agents/native/turn/answer.test.ts',
      'a model whose calls are always cut is not asked for ever, and no call is left open',
    ],
  ],
  [
    'F22',
    'A malformed message costs only itself; framing that is lost ends the connection in order.',
    [fuzz, 'all of them in one stream, in any chunking'],
    [fuzz, 'a header that cannot be trusted ends the connection in order: $start'],
    ['src/rpc/framing/contentLength.test.ts', 'a body that is not UTF-8 costs only itself'],
    ['test/attacks/acpFuzz.test.ts', '$count mutated messages of version $version'],
  ],
  [
    'F23',
    'A huge message is refused without being built.',
    [fuzz, 'a message of 100 MB is refused without being built'],
    ['src/rpc/framing/contentLength.test.ts', 'a declared length reserves no memory'],
    ['test/attacks/edge.test.ts', 'a frame beyond the limit'],
  ],
  [
    'F24',
    'A socket that breaks its protocol or shows no sign of life is closed with the right code and freed.',
    ['test/faults/frames.test.ts', '%s closes that connection with %i, and others go on'],
    ['test/faults/frames.test.ts', 'connections that were cut off leave no descriptor behind'],
    [sockets, 'a client that answers pings is kept, one that does not is dropped'],
    [sockets, 'a text that is not UTF-8 ends the connection'],
    [sockets, 'a client that does not complete the close is cut off'],
  ],
  [
    'F25',
    'A clock that jumps, or another time zone, changes no order and no wait.',
    [
      'test/faults/clock.test.ts',
      'turns stay in order, numbers grow, and a restart in another time zone shows the same',
    ],
    [
      'test/faults/clock.test.ts',
      'a stream that is silent is given up in the same time when the clock goes %s',
    ],
  ],
  [
    'F26',
    'Ten thousand sessions do not slow the start; they are listed in pages, and a damaged one is told as such.',
    [
      'test/faults/manySessions.test.ts',
      'ten thousand sessions are listed at once, and only the damaged one is told as damaged',
    ],
  ],
  [
    'F27',
    'One host has a data directory; the next one learns who, and a dead one is no obstacle.',
    [store, 'the second learns who is first, and has the lock at once when the first is killed'],
    [store, 'of many that start together exactly one gets it'],
    [processes, 'a second host on the same data directory refuses and says why; the first goes on'],
    [starting, 'a host whose port is taken exits with 1 and leaves the data directory free'],
  ],
  [
    'F29',
    'Old logs are readable for ever; a newer one is refused without a change.',
    [
      sqlite,
      'a file of schema 1 gets the columns of today, and keeps its sessions and what was unfinished in them',
    ],
    ['src/model/released.test.ts', 'a format from the future, and what is no event at all, is refused'],
    [
      'test/contracts/newerLog.test.ts',
      'reading ends with a typed outcome that is no damage, and nothing is written',
    ],
    [processes, 'a store of a newer version is refused in words at once, and doctor says so'],
  ],
  [
    'F30',
    'A damaged record is found, the rest is shown, and the file is kept.',
    [store, 'anywhere in the file never shows a wrong entry, and what is missing is told'],
    [
      'src/host/session/damagedLog.test.ts',
      'every single entry can be lost, and everything else is still there',
    ],
    ['src/host/session/damagedLog.test.ts', 'search sees all sound entries'],
    [sqlite, 'damage that was mended is forgotten'],
    [salvage, 'a write that meets a damaged index succeeds, and the next start looks at everything'],
    [salvage, 'after ${name}'],
    [salvage, 'a lost root of the entries'],
    [damage, 'there are at least 24 kinds'],
    [damageKinds, 'a page with entries is lost'],
    [damageKinds, 'a record in the middle is damaged'],
  ],
  [
    'F31',
    'The list of sessions can always be made anew from the log.',
    [sqlite, 'rebuild derives every row anew'],
    [sqlite, 'an index that lies is found, and rebuilt'],
    ['src/io/search/sessionIndex.test.ts', 'an index that cannot be read is made anew'],
    [sqlite, 'a damaged index is built again while the store is used'],
    [sqlite, 'a log that is not what it was is noticed'],
    [damageKinds, 'only the write-ahead log is left'],
  ],
  [
    'F32',
    'A flood in a terminal stays bounded, closing it ends the whole tree, and how a program ended is kept.',
    [
      'test/faults/detachedTerminal.test.ts',
      'the exit code and the last output of a program are there for whoever comes back',
    ],
    [
      'test/faults/detachedTerminal.test.ts',
      'a flood that nobody reads stays bounded, and a program that ignores signals ends with its terminal',
    ],
    [pty, 'keeps a flood of 100 MB bounded while nobody reads, and ends in the middle of it'],
    [pty, 'ends with everything that began in it: stopped jobs, other groups, other sessions, orphans'],
  ],
  [
    'F33',
    'A file that somebody changed since it was shown is not overwritten.',
    ['src/agents/native/tools/tools.test.ts', 'a write happens only to what was shown'],
    ['src/agents/acp/turn/undo.test.ts', '${name}, but not over what somebody has changed since'],
  ],
  [
    'F34',
    'A host without free descriptors or processes fails the call that needed one, and goes on.',
    [
      'test/faults/frames.test.ts',
      'a host that has no descriptors left fails what needs one, and works again when there are some',
    ],
    ['src/host/tools/backgroundJobs.test.ts', 'that nobody can start says so'],
  ],
  [
    'F35',
    'Clients and sessions that come and go leave the memory and the descriptors of the host bounded.',
    ['test/faults/soak.test.ts', '${minutes} minutes'],
  ],
];

export const faultRequirements: readonly StandingRequirement[] = rows.map(([id, text, ...tests]) => ({
  id,
  text,
  tests,
}));

export const untestedFaults: readonly UntestedRequirement[] = [
  {
    id: 'F6.power',
    text: 'A real loss of power, with what a drive does to data in its cache.',
    reason:
      'Tests cannot cut the power. They drop writes that were not synced, and damage copies of the files at ' +
      'every place instead.',
  },
  {
    id: 'F28',
    text: 'A data directory on a network file system works or is refused.',
    reason:
      'Tests have no network file system. The host reads back whether the store accepts its mode of writing.',
  },
  {
    id: 'F34.memory',
    text: 'A child that takes all memory fails alone.',
    reason: 'Needs a limit of the operating system that tests may not set.',
  },
  {
    id: 'F35.day',
    text: 'A host that works for a day has the memory and the descriptors that it began with.',
    reason: 'A day does not fit into a test run. `npm run faults:soak` takes as long as it is told.',
  },
];
