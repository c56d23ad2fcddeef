// What ACP demands of an agent, in our own words, each with the test that verifies it
// through the real program.
import { verifier } from './requirement.ts';
import type { Requirement } from './requirement.ts';

const rows: readonly (readonly [id: string, source: string, test: string, text: string])[] = [
  [
    'wire.lines',
    '2.1, 8',
    'stdout carries one JSON message a line and nothing else',
    'Nothing but messages goes to stdout, from the first byte; each is one line of JSON.',
  ],
  [
    'wire.envelope',
    '15',
    'stdout carries one JSON message a line and nothing else',
    'An answer has either a result or an error.',
  ],
  [
    'wire.crlf',
    '2.1',
    'lines may end with a carriage return',
    'A carriage return before the line feed is accepted.',
  ],
  [
    'wire.ids',
    '2.1',
    'ids come back as they were given',
    'The id of a request is echoed with its type: number, text or null.',
  ],
  [
    'wire.batch',
    '2.1',
    'what is no proper message is answered by the rules of JSON-RPC',
    'A batch is answered with one -32600 and a null id.',
  ],
  [
    'wire.parse',
    '2.3',
    'what is no proper message is answered by the rules of JSON-RPC',
    'A line that is no JSON is answered with -32700 and a null id, and the connection lives.',
  ],
  [
    'wire.unknown-request',
    '2.4, 8',
    'unknown requests are refused, unknown notifications ignored',
    'An unknown request, also one with an underscore, is answered with -32601.',
  ],
  [
    'wire.unknown-notification',
    '2.4, 7.8, 8',
    'unknown requests are refused, unknown notifications ignored',
    'Notifications are never answered, not even unknown or wrong ones.',
  ],
  [
    'wire.eof',
    '2.1, 8',
    'the program ends with its input, and its session lives on',
    'The agent exits promptly when its input ends.',
  ],
  [
    'wire.root-keys',
    '2.4',
    'only members of the schema are sent',
    'No member of our own stands at the root of an object of the specification.',
  ],

  [
    'init.first',
    '3, 7.1',
    'nothing is served before initialize',
    'initialize is the first request; no session call is served before it.',
  ],
  [
    'init.same-version',
    '3',
    'version 1 is answered with 1, any other number too',
    'A version that is supported is answered with the same number.',
  ],
  [
    'init.own-version',
    '3',
    'version 1 is answered with 1, any other number too',
    'Any other version is answered with our own latest, never echoed.',
  ],
  ['init.info', '3, 8', 'the agent says who it is', 'The answer carries agentInfo with name and version.'],
  [
    'init.constants',
    '8',
    'initialize is answered at once, whatever else is asked',
    'initialize is answered from constants, before any other work.',
  ],
  [
    'init.forgiving',
    '3.1, 10',
    'capabilities that cannot be read count as absent',
    'A capability of the wrong type counts as absent, and the message survives.',
  ],
  [
    'init.absent',
    '3.2, 8',
    'a client is asked for nothing that it did not offer',
    'fs, terminal and elicitation are never called without the capability.',
  ],
  [
    'init.markers',
    '3.1, 3.2',
    'null and empty markers offer nothing',
    'A marker that is null, and an elicitation without a mode, offer nothing.',
  ],
  [
    'init.gated-updates',
    '6, 8',
    'a client is asked for nothing that it did not offer',
    'Gated updates and boolean options are not sent without the capability.',
  ],

  [
    'auth.terminal',
    '3.3',
    'ways to sign in are listed, those in a terminal only to clients that can show one',
    'Terminal methods are listed only to clients that can show them.',
  ],
  [
    'auth.not-required',
    '3.3',
    'ways to sign in are listed, those in a terminal only to clients that can show one',
    'session/new does not fail for want of a sign-in where none is needed.',
  ],
  [
    'auth.unknown',
    '3.3',
    'signing in takes the keys that there are, and says when there are none',
    'authenticate with a method that was not listed, or one for a terminal, is refused.',
  ],
  [
    'auth.agent',
    '3.3',
    'signing in takes the keys that there are, and says when there are none',
    'authenticate is answered with an object once an account was found, and with -32000 where there is none.',
  ],
  [
    'auth.terminal-run',
    '3.3',
    'the program signs in on a terminal with the arguments of the method',
    'The same command with the arguments of a terminal method signs in and exits with 0.',
  ],
  [
    'auth.logout',
    '3.3',
    'signing out forgets what was stored',
    'logout is advertised and forgets the stored credentials.',
  ],
  [
    'providers.route',
    '9.7',
    'a client may lead the requests to a provider elsewhere for as long as it stays',
    'providers/set replaces where requests go, providers/disable switches off; neither outlives the ' +
      'client, and no secret comes back.',
  ],
  [
    'nes.suggest',
    '9.6',
    'the next edit is suggested in the text that the client has open',
    'nes/start, suggest and close work on documents kept in step by document/didOpen, didChange and ' +
      'didClose, in the encoding agreed on.',
  ],
  [
    'auth.status',
    '9.8',
    'accounts are told, and told again when they change',
    'auth/status says whether a sign-in is needed; a change is told to those who asked.',
  ],

  [
    'new.ids',
    '4.1',
    'every new session has an id of its own, told before anything is said of it',
    'Session ids are unique.',
  ],
  [
    'new.answer-first',
    '7.2',
    'every new session has an id of its own, told before anything is said of it',
    'The answer to session/new precedes every update of that session.',
  ],
  [
    'new.cwd',
    '4.1',
    'the working directory is absolute, and is where tools work',
    'cwd is an absolute path.',
  ],
  [
    'new.cwd-used',
    '4.1',
    'the working directory is absolute, and is where tools work',
    'cwd is used regardless of where the process was started.',
  ],
  [
    'new.mcp-null',
    '4, 10',
    'MCP servers may be null, must be right, and stay out of the log',
    'An explicit null for a list is an empty list.',
  ],
  [
    'new.mcp-strict',
    '10',
    'MCP servers may be null, must be right, and stay out of the log',
    'A wrong MCP server is an error, not dropped.',
  ],
  [
    'new.mcp-stdio',
    '4.1',
    'MCP servers may be null, must be right, and stay out of the log',
    'MCP servers that are started as processes are accepted.',
  ],
  [
    'new.mcp-used',
    '3.2, 4.1',
    'servers that the client names are connected to, over every way that is offered',
    'MCP servers of the client are used, by stdio, http and sse as advertised.',
  ],
  [
    'mcp.newest',
    '9.5',
    'servers that the client keeps itself are used through it',
    'MCP servers of type `acp` are spoken to by mcp/message, without connections.',
  ],
  [
    'mcp.earlier',
    '9.5',
    'servers kept by a client of the earlier form are connected to, and may ask back',
    'The earlier form with mcp/connect, messages both ways and mcp/disconnect is spoken, too.',
  ],
  [
    'new.meta',
    '2.4, 8',
    'what was attached to a new session stays with it',
    '`_meta` of session/new is kept and comes back with the session.',
  ],
  [
    'new.roots',
    '4.1',
    'additional directories belong to the session',
    'additionalDirectories extend the roots and are listed.',
  ],
  [
    'load.replay',
    '4.1, 7.3',
    'loading tells the whole past before its answer',
    'session/load streams the whole conversation and answers after its last update.',
  ],
  [
    'load.object',
    '4.1',
    'loading tells the whole past before its answer',
    'The answer to session/load is an object.',
  ],
  ['load.notices', '4.1', 'loading tells the whole past before its answer', 'Notices are not replayed.'],
  [
    'load.unknown',
    '2.3',
    'a session that is not there is not found',
    'An unknown session is answered with -32002 and its id in data.',
  ],
  ['load.cwd', '4.1', 'a session is loaded where it works', 'load and resume name the cwd of the session.'],
  [
    'resume.silent',
    '4.1, 7.3',
    'resuming tells nothing of the past',
    'session/resume sends no history before its answer.',
  ],
  ['list.array', '4.2, 8', 'the list is an array, also where it is empty', 'sessions is always an array.'],
  [
    'list.rows',
    '4.2',
    'the list names place, title and time',
    'A row has sessionId and absolute cwd, and its time in ISO 8601.',
  ],
  [
    'list.pages',
    '4.2',
    'the list comes in pages, and a foreign cursor is refused',
    'The list is paged with an opaque cursor; a missing one ends it.',
  ],
  [
    'list.cursor',
    '4.2',
    'the list comes in pages, and a foreign cursor is refused',
    'An invalid cursor is an error.',
  ],
  [
    'list.elsewhere',
    '4.2',
    'sessions of other clients are listed and can be loaded',
    'Sessions that other clients made are listed and loadable.',
  ],
  [
    'close.cancels',
    '4.2, 8',
    'closing cancels, answers, and leaves the session loadable',
    'session/close ends the running prompt as cancelled and lets the session go.',
  ],
  [
    'delete.idempotent',
    '4.2, 8',
    'deleting twice is deleting',
    'To delete an unknown or deleted session succeeds.',
  ],
  ['delete.gone', '4.2', 'deleting twice is deleting', 'A deleted session is not listed any more.'],

  [
    'config.complete',
    '4.3, 8',
    'setting an option answers with the complete list',
    'The answer to session/set_config_option carries every option.',
  ],
  [
    'config.default',
    '4.3',
    'setting an option answers with the complete list',
    'Every option has a working value from the start.',
  ],
  [
    'config.unknown',
    '4.3',
    'setting an option answers with the complete list',
    'An unknown option or value is refused.',
  ],
  [
    'config.update',
    '4.3',
    'other clients are told of a changed option',
    'A change is told to every other client with the complete list.',
  ],
  [
    'modes.absent',
    '4.3',
    'modes that were not offered cannot be set',
    'Modes are signalled by their presence; without them set_mode is refused.',
  ],
  [
    'config.kinds',
    '3.1, 4.3',
    'options are choices, groups of choices and switches, each in its category',
    'Options are selects, grouped selects and booleans, with the categories mode, model, model_config ' +
      'and thought_level; booleans only for clients that know them.',
  ],
  [
    'modes.mirrored',
    '4.3, 8',
    'modes and the option for them say the same',
    'An agent with modes tells both `modes` and an option of the category mode, kept in step.',
  ],
  [
    'config.agent',
    '4.3',
    'agents, their models and their options are options of the session',
    'The agent of a session is an option; with another one come its own models and options.',
  ],
  [
    'models.legacy',
    '9.1',
    'a client of autumn 2025 gets a list of models and can switch',
    'Clients without clientInfo get `models` and session/set_model.',
  ],

  [
    'prompt.baseline',
    '4.4, 8',
    'text and links are taken, what was not offered is refused',
    'text and resource_link are accepted.',
  ],
  [
    'prompt.unadvertised',
    '4.4, 8',
    'text and links are taken, what was not offered is refused',
    'A content type that was not advertised is refused with -32602.',
  ],
  [
    'prompt.system',
    '9.8',
    'a system prompt is followed beside or instead of our own, or refused',
    'systemPrompt on new, load, resume and fork is applied; an unknown mode is an error and ' +
      'makes no session.',
  ],
  [
    'prompt.media',
    '4.4',
    'what a prompt may hold is taken; what cannot be heard is said not to be',
    'Images, embedded texts and recordings are taken and kept; where the agent cannot hear, ' +
      'the client is told.',
  ],
  [
    'prompt.stop',
    '4.4',
    'a turn ends with the reason it ended for',
    'The stop reason says why the turn ended.',
  ],
  [
    'prompt.failure',
    '2.3',
    'a turn that fails is an error with words',
    'A turn that fails is answered with an error that says why.',
  ],
  ['prompt.slash', '4.4', 'a command with a slash is plain text', 'Slash commands arrive as text.'],
  [
    'prompt.queue',
    '4.4',
    'a second prompt waits for the first, and both are answered',
    'A prompt during a turn is not lost.',
  ],
  ['prompt.meta', '2.4, 8', 'meta is kept and passed on', '`_meta` is accepted and passed on.'],

  ['update.session', '15', 'updates carry the right session and message', 'Every update names its session.'],
  [
    'update.message-id',
    '6',
    'updates carry the right session and message',
    'Chunks of one message share a messageId; another message has another.',
  ],
  [
    'update.thought',
    '6',
    'updates carry the right session and message',
    'Reasoning is an agent_thought_chunk.',
  ],
  [
    'update.user',
    '6',
    'a turn of one client streams to all who have the session open',
    'What a user said elsewhere is a user_message_chunk.',
  ],
  [
    'update.usage',
    '6',
    'usage and title are told',
    'usage_update tells what is used and the size of the context.',
  ],
  ['update.info', '6', 'usage and title are told', 'session_info_update tells a new title.'],
  [
    'update.tool',
    '6, 7.5',
    'a tool call is told before its updates, with kind, place and wrapped content',
    'tool_call comes before its updates; status moves from pending to the end.',
  ],
  [
    'update.tool-content',
    '6',
    'a tool call is told before its updates, with kind, place and wrapped content',
    'Content of a call is wrapped; locations are absolute.',
  ],
  [
    'update.diff',
    '6',
    'a new file is a diff without an old text',
    'An edit is a diff; a new file has a null oldText.',
  ],
  [
    'update.commands',
    '6',
    'commands are told as one complete list',
    'available_commands_update is a complete list, sent where there are commands.',
  ],

  [
    'update.notice',
    '6',
    'notices and compactions are told to those who know them, and in words to others',
    'notice and compaction_update are sent only where offered; others get words.',
  ],
  [
    'update.plan',
    '6, 9.4',
    'a plan is told whole, or as operations to those who know them',
    'plan is a complete list; plan_update with planId and the earlier id only where offered.',
  ],
  [
    'update.turn-usage',
    '9.3',
    'what a turn has used comes with its answer',
    'The answer to a prompt tells the tokens of the turn.',
  ],
  [
    'session.fork',
    '9.2',
    'a session is copied, named, put away and looked at',
    'session/fork gives a new session with the same past.',
  ],
  [
    'session.title',
    '9.8',
    'a session is copied, named, put away and looked at',
    'session/set_title names a session for good.',
  ],
  [
    'session.archive',
    '9.8',
    'a session is copied, named, put away and looked at',
    'session/archive and unarchive hide and show; session/list filters.',
  ],
  [
    'session.status',
    '9.8',
    'a session is copied, named, put away and looked at',
    'session/status says whether a session is open.',
  ],

  [
    'order.flush',
    '7.4, 8',
    'all updates of a turn precede its answer',
    'Every update of a turn is sent before the answer to its prompt.',
  ],
  [
    'order.cancel',
    '7.6, 8',
    'a cancelled turn ends as cancelled, and nothing follows',
    'A cancelled prompt is answered with `cancelled`, after its last update.',
  ],
  [
    'order.cancel-quick',
    '7.6, 8',
    'a cancelled turn ends as cancelled, and nothing follows',
    'A model that hangs does not delay the end of a cancelled turn.',
  ],
  [
    'order.cancel-tool',
    '7.6',
    'cancelling while a permission is open takes it back',
    'An open permission ends with the turn, whatever the client answers.',
  ],
  [
    'order.cancel-idle',
    '7.6',
    'cancelling an idle session does nothing',
    'session/cancel on an idle session does nothing and does not poison the next prompt.',
  ],
  [
    'order.cancel-request',
    '7.7',
    'a cancelled request is answered',
    'A request that was cancelled by $/cancel_request is answered all the same.',
  ],
  [
    'order.free',
    '7.9',
    'other requests are answered while a prompt runs',
    'A running prompt blocks neither other requests nor other sessions.',
  ],
  [
    'order.call-back',
    '7.9',
    'a permission pending in one session delays no other',
    'The agent may ask the client during a prompt; nothing else waits for the answer.',
  ],
  [
    'permission.options',
    '5.1',
    'a permission offers once, always and reject',
    'A permission request describes the call and offers options by kind.',
  ],
  [
    'permission.reject',
    '5.1',
    'a rejected call is not run and says so',
    'A rejected call is not run; the turn goes on.',
  ],
  [
    'permission.cancelled',
    '5.1',
    'cancelling while a permission is open takes it back',
    'A `cancelled` outcome never runs the call.',
  ],

  [
    'elicitation.form',
    '5.4',
    'a question is a form where the client shows one, else options',
    'A question of the agent is elicited by a form; accept, decline and cancel are all taken.',
  ],
  [
    'elicitation.url',
    '5.4',
    'an address to visit is shown as one, and taken back when it was visited elsewhere',
    'A sign-in is elicited by its address; its completion is told.',
  ],

  [
    'fs.read',
    '5.2',
    'files are read as the editor has them, unsaved changes included',
    'Where the client reads files, tools see its unsaved text.',
  ],
  [
    'fs.write',
    '5.2',
    'files are written through the editor',
    'Where the client writes files, tools write through it.',
  ],
  [
    'fs.fallback',
    '5.2, 2.3',
    'an editor that cannot read leaves it to the disk; one that will not write is obeyed',
    'A client that fails to read is passed over; one that refuses to write is obeyed.',
  ],
  [
    'terminal.run',
    '5.3',
    'commands run in the terminal of the editor, which is given back',
    'Where the client has terminals, commands run there and are shown with their call.',
  ],
  [
    'terminal.release',
    '5.3',
    'commands run in the terminal of the editor, which is given back',
    'Every terminal is released.',
  ],
  [
    'terminal.kill',
    '5.3, 7.6',
    'a cancelled command is killed in the terminal of the editor',
    'A command that is stopped is killed, and its terminal released.',
  ],
  [
    'terminal.others',
    '5.3',
    'other editors see the output, not the terminal',
    'Only the client that lent the terminal is shown it; others see the output.',
  ],

  [
    'shared.queue',
    '7.4, 18',
    'what others queue, steer and take away is told',
    'Messages that other clients queue, add to a turn or withdraw are visible.',
  ],
  [
    'shared.answers',
    '5.1, 18',
    'whoever decides first is named to the others, whose question is taken back',
    'A permission answered elsewhere is taken back, and the client told who answered.',
  ],

  ['lenient.default', '10', 'bad hints become defaults', 'A bad value of a hint becomes its default.'],
  [
    'lenient.strict',
    '10',
    'inputs that change behaviour are strict',
    'Inputs that change what is done are refused where they are wrong.',
  ],
  [
    'lenient.null',
    '10',
    'MCP servers may be null, must be right, and stay out of the log',
    'null becomes an empty list.',
  ],
];

export const acpAgentRequirements: readonly Requirement[] = rows.map(([id, source, test, text]) => ({
  id,
  text,
  source,
  test,
}));

export const verifies = verifier(acpAgentRequirements);
