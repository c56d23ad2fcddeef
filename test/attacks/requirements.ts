// What must hold under attack, one by one, with the tests that verify it. The parts that no test here can
// verify are listed with the reason.
import type { NamedTest, StandingRequirement, UntestedRequirement } from '../requirements/standing.ts';

const edge = 'test/attacks/edge.test.ts';
const routes = 'test/attacks/routes.test.ts';
const remote = 'test/scenarios/remote.test.ts';
const files = 'test/attacks/files.test.ts';
const commands = 'test/contracts/policyCommands.ts';
const evasions = 'test/contracts/policyEvasions.ts';
const paths = 'test/contracts/policyPaths.ts';
const hidden = 'test/contracts/hiddenFiles.test.ts';
const git = 'test/contracts/gitCommands.test.ts';
const fuzz = 'src/rpc/fuzz.test.ts';
const refusals = 'src/doors/ahp/refusals.test.ts';
const actions = 'test/faults/clientActions.test.ts';
const guard = 'src/agents/acp/requests/approvalGuard.test.ts';
const approvals = 'src/host/policy/approvals.test.ts';
const special = 'test/attacks/specialFiles.test.ts';
const settings = 'src/io/settings/settings.test.ts';
const hostile = 'src/io/knowledge/hostile.test.ts';
const servers = 'test/contracts/toolServers.test.ts';
const ownServers = 'src/io/mcp/toolServers.test.ts';
const signIn = 'test/attacks/signIn.test.ts';
const agent = 'test/faults/agent.test.ts';
const page = 'test/scenarios/consoleHostile.test.ts';
const output = 'test/attacks/terminalOutput.test.ts';
const emulator = 'test/attacks/consoleTerminal.test.ts';
const ask = 'test/scenarios/consoleAsk.test.ts';
const chat = 'test/scenarios/cliChat.test.ts';
const shell = 'src/io/processes/shellCommands.test.ts';
const toolCalls = 'test/contracts/toolCalls.test.ts';
const sandbox = 'test/attacks/sandboxAttacks.ts';
const network = 'src/io/sandbox/network.test.ts';
const packed = 'test/scenarios/package.test.ts';

const line: NamedTest = [
  'test/attacks/commandFuzz.test.ts',
  'ten thousand random lines start nothing, and touch nothing, that their rules do not allow',
];

const rows: readonly (readonly [id: string, text: string, ...tests: NamedTest[]])[] = [
  // The network.
  [
    'A1',
    'A connection without a token, or with another one, is refused before anything is read from it.',
    [edge, 'no token'],
    [edge, 'a wrong token'],
    [edge, 'a token that begins right'],
    [
      'src/io/auth/devices.test.ts',
      'a page proves its key at the address where it was signed in, and nowhere else',
    ],
  ],
  [
    'A2',
    'A page of another site is refused unless it knows the token, which no site can; cookies count for nothing.',
    [edge, '%s gets in with the right token only'],
    [routes, 'another site'],
  ],
  [
    'A3',
    'A name that is not ours is refused on every route, static files included.',
    [edge, 'a rebound name'],
    [routes, 'a rebound name'],
    [routes, 'a name that ends like ours'],
  ],
  [
    'A4',
    'Posts that a foreign page can send have no effect on any route.',
    [routes, 'a cross-site post of %s, and no session is made'],
    ['test/scenarios/ecaRemote.test.ts', 'bad input changes nothing and is answered'],
  ],
  ['A5', 'A preflight of another site is allowed nothing.', [routes, 'a preflight of another site']],
  [
    'A6',
    'Beyond this machine everything is encrypted and needs a token, unless the user says otherwise.',
    ['src/app/listening.test.ts', '%s is encrypted whether or not somebody says so'],
    ['src/app/listening.test.ts', 'only an explicit word leaves it out, and that is said'],
    [remote, 'what does not fit together is refused before anything listens'],
    [
      'test/scenarios/ecaRemote.test.ts',
      'with a certificate it speaks TLS and nothing else; beyond this machine only so',
    ],
  ],
  [
    'A7',
    'The same checks hold under every spelling of this machine.',
    [routes, 'the name %s is answered %i, and without a token lets nobody in'],
  ],
  [
    'A8',
    'Browsers are signed in by a code that works once. What they keep lets no other server in.',
    ['src/io/auth/devices.test.ts', 'a code makes one device, once'],
    ['src/io/auth/devices.test.ts', 'a challenge is ours, counts once, and expires'],
    [
      'test/scenarios/consoleCredential.test.ts',
      'another server on the same address gets nothing that lets it in',
    ],
    [
      'test/scenarios/consoleLink.test.ts',
      'a token in the address is used, kept for the tab and taken out of the address bar',
    ],
    [edge, 'the token is in no log and no process list'],
    [remote, 'the token is printed and replaced, and the old one ends at once with its connections'],
    [
      remote,
      'our own certificate is made, kept and named; nothing is said in the clear, to a foreign name or to a foreign page',
    ],
  ],
  [
    'A9',
    'Other users find the token nowhere: not in process lists, logs, or files that they may read.',
    [edge, 'the token is in no log and no process list'],
    ['test/scenarios/processes.test.ts', 'what belongs to the owner only is readable by the owner only'],
    ['src/io/settings/dataPaths.test.ts', 'is never put into a place that somebody else prepared'],
  ],
  [
    'A10',
    'Very many strangers, and slow ones, keep nobody out.',
    [edge, 'connections that say nothing, or half a request, harm nobody, however many they are'],
    ['test/scenarios/ecaRemote.test.ts', 'who guesses waits, and keeps nobody out'],
  ],
  // Several clients.
  [
    'A11',
    'The id of a client belongs to its credential, and one credential cannot crowd out others.',
    ['src/doors/ahp/initialize.test.ts', 'a client id belongs to the credential it came with first'],
    ['src/doors/ahp/initialize.test.ts', 'a client that comes twice closes its older connection'],
    [
      'src/doors/ahp/clients.test.ts',
      'one principal with many clients does not make others be forgotten, and each is one small entry',
    ],
    [
      'src/doors/ahp/clients.test.ts',
      'whoever may only look leaves nothing in the log, and makes nobody be forgotten',
    ],
    [remote, 'who may look sees everything and changes nothing, at any door'],
  ],
  [
    'A12',
    'An approval counts once, for the open question of its turn, from somebody who may approve.',
    [actions, 'an action that comes twice is done once, and the second one is rejected with a reason'],
    [actions, 'of an approval and a denial at the same moment one counts, and the other client is told'],
    [refusals, 'a confirmation nobody asked for'],
    [remote, 'who may look sees everything and changes nothing, at any door'],
  ],
  [
    'A13',
    'What was approved is what runs; whoever may only approve cannot change it.',
    [remote, 'who may approve answers what waits, and cannot decide what runs'],
    [toolCalls, 'arguments that a human has changed are what runs, and what a rule forbids stays forbidden'],
    [guard, 'only what was shown, whatever the agent says later'],
    [guard, 'one run'],
  ],
  [
    'A14',
    'Clients reach no files outside the folders of sessions, however the address is written.',
    [
      'src/doors/ahp/resources/resources.test.ts',
      'nothing outside the folders of sessions is served, whatever leads there',
    ],
  ],
  [
    'A15',
    'Nobody types into a terminal of somebody else, resizes it or ends it.',
    ['src/host/terminals/liveTerminal.test.ts', 'a terminal is used by those it belongs to'],
    [
      'src/host/terminals/liveTerminal.test.ts',
      'a client cannot put somebody else into a place it does not have',
    ],
    ['src/host/terminals/terminalHub.test.ts', 'nobody removes what belongs to somebody else'],
  ],
  [
    'A16',
    'Actions that only the host may take are rejected to their sender and told to nobody else.',
    [refusals, 'a delta of the host'],
    [refusals, 'the end of a turn'],
    [
      'src/doors/ahp/integer1/door.test.ts',
      'what may not be is rejected to its sender alone, and what concerns nobody is ignored',
    ],
  ],
  // Messages.
  [
    'A17',
    'A message that is too large, too deep or has too many members is refused, and others are served.',
    [edge, 'a frame beyond the limit'],
    [fuzz, 'a message of 100 MB is refused without being built'],
    [fuzz, 'a million levels'],
    [fuzz, '500,000 keys'],
    [routes, 'compression is not offered'],
  ],
  [
    'A18',
    'Names such as __proto__ and toString mean nothing special, anywhere in a message.',
    [fuzz, '__proto__ in params'],
    [fuzz, 'toString as a method'],
    [fuzz, 'duplicate keys'],
    ['src/rpc/envelope.test.ts', 'a key named __proto__ changes no prototype'],
    ['src/protocols/eca/keys.test.ts', 'any value can be folded, and no prototype is touched'],
  ],
  [
    'A19',
    'A header that two readers could read differently ends the connection in order.',
    [fuzz, 'a header that cannot be trusted ends the connection in order: $start'],
    ['src/rpc/framing/contentLength.test.ts', 'two lengths'],
  ],
  // Files.
  [
    'A20',
    'No spelling of a path reaches a file outside the workspace unasked.',
    [files, 'dots through a folder'],
    [files, 'a null character'],
    [files, '5,000 characters of dots'],
    [files, 'a home'],
    [files, 'an address'],
  ],
  ['A21', 'A folder whose name begins like the workspace is outside.', [files, 'a twin of the workspace']],
  [
    'A22',
    'Links lead no tool outside.',
    [files, 'a link to a folder'],
    [files, 'a link to a link'],
    [files, 'a search does not follow links, pipes and devices it meets'],
    [files, 'nothing is moved out of the workspace or over something unasked'],
  ],
  [
    'A23',
    'A folder that is exchanged for a link between judgement and use leads nobody outside.',
    [files, 'again and again, by somebody else, 2,000 times'],
    ['src/io/files/workspace.test.ts', 'stays out of the way of a link that is exchanged all the time'],
  ],
  [
    'A24',
    'Devices, pipes, process files and second names are no way out, and nobody waits for them.',
    [files, 'a pipe that nobody writes to'],
    [files, 'a device'],
    [files, 'the environment of the process'],
    [files, 'a second name of a file outside is written anew and leaves the first one alone'],
    [hostile, 'pipes are not waited for'],
    [settings, 'something that is no file is refused without waiting for it'],
    [special, 'a session to import, which the host reads'],
    [special, 'the files of git that say where a repository is'],
  ],
  [
    'A25',
    'No rule lets an agent change files that decide what runs, in any spelling, existing or not.',
    [paths, 'writing where the tool is allowed'],
    [paths, 'writing through every way out'],
    [evasions, 'paths glued to options'],
    [evasions, 'names that a program composes'],
    [guard, 'an approved edit covers'],
  ],
  [
    'A26',
    'File names with line breaks, escape sequences or reversed text are shown as what they are.',
    [approvals, 'a question, its options and its call show %s'],
    [
      'src/base/visibleText.test.ts',
      'nothing in any text is left that could hide, and nothing visible is lost',
    ],
    ['src/base/visibleValue.test.ts', 'every text of a value shows what hides in it, and the rest stays'],
  ],
  [
    'A27',
    'Huge, endless and binary files stay within limits of size and time.',
    [files, 'a huge file is refused without reading it'],
    [files, 'a pipe that nobody writes to'],
    [hostile, 'folders with very many texts are cut short'],
  ],
  [
    'A28',
    'Commands that write what an archive or a patch names are asked about, and an archive that the host ' +
      'unpacks to install an agent writes and links to nothing outside its folder.',
    [commands, 'what writes files that its input names'],
    ['src/io/agents/install/unpackArchive.test.ts', 'one ${name}'],
    [
      'test/scenarios/installAgents.test.ts',
      'what cannot be trusted or used is refused, and leaves nothing behind',
    ],
  ],
  // Command lines.
  ['A29', 'Every command of a chain is judged.', [commands, 'chains'], line],
  ['A30', 'A redirection is a write.', [commands, 'redirections'], line],
  [
    'A31',
    'What a shell would expand, substitute or define is asked about; what runs inside is judged.',
    [commands, 'substitutions and expansions'],
    [evasions, 'process substitutions behind a digit, with a forbidden program'],
    [evasions, 'lines that are joined'],
    line,
  ],
  [
    'A32',
    'Arguments that make another command of an allowed one are asked about.',
    [commands, 'arguments that make another command'],
    [commands, 'options that name something to run, whatever the program'],
    [evasions, 'arguments that load a program or a file'],
    [git, 'a monitor does not run under a rule'],
    [git, 'hooks do not run under a rule, nor in the background'],
  ],
  ['A33', 'There is no number of commands after which rules stop.', [commands, 'chains']],
  [
    'A34',
    'A forbidden name in disguise is never allowed.',
    [commands, 'names in disguise'],
    [commands, 'a trusted session, and a command that is forbidden in disguise'],
    [commands, 'the mode auto, and a command that is forbidden in disguise'],
    [commands, 'the mode full, and a command that is forbidden in disguise'],
    [commands, 'other names of a subcommand that is forbidden'],
  ],
  [
    'A35',
    'Variables before a command make it another command.',
    [commands, 'substitutions and expansions'],
    [guard, 'a command of an agent is asked about with its folder and variables'],
    [
      'src/agents/acp/requests/files.test.ts',
      'a rule for a command does not cover other variables or another folder',
    ],
  ],
  [
    'A36',
    'A program of the repository does not run as one of the system, nor one of a registry as the built-in agent.',
    [commands, 'names in disguise'],
    ['src/agents/acp/registry.test.ts', 'does not take the place of the built-in agent'],
    [git, 'a repository inside the workspace'],
    [git, '%s = %s is asked about, since the environment cannot switch it off'],
    [git, 'a repository in the work tree that the index does not name'],
    [git, 'a rebase that was not finished goes on with no %s'],
  ],
  [
    'A37',
    'People see the whole of what they approve, and nothing in it can hide or cover the rest.',
    [approvals, 'the question shows what would hide'],
    [ask, 'what hides in a command is shown before it is allowed'],
    [ask, '%s covers nothing of a command'],
    [ask, 'a long command is allowed only after its end was shown, at %i x %i'],
    [chat, 'a long command is shown to its end before it is asked about'],
    [chat, 'on a plain terminal a long command is read page by page, and only then allowed'],
    [
      'test/scenarios/chatScreen.test.ts',
      'a long command is read to its end before a key allows it, and nothing in it hides',
    ],
  ],
  [
    'A38',
    'A call that changes while its question is open is asked about anew.',
    [
      'test/attacks/changedCall.test.ts',
      'a command that replaces the approved one while the question is open is asked about anew',
    ],
    [guard, 'only what was shown, whatever the agent says later'],
  ],
  [
    'A39',
    'A command in the sandbox reaches no files, networks or sockets outside it.',
    [sandbox, 'writes a file outside'],
    [sandbox, 'reads a key'],
    [sandbox, 'connects to docker'],
    [sandbox, 'reaches the metadata address'],
    [network, 'never reaches %s, and asks nobody'],
    [network, 'resolves no name that is not allowed'],
    ['test/attacks/hostileAgent.test.ts', 'in the sandbox gets nothing'],
    ['test/attacks/sandboxFolder.test.ts', 'has direnv read its files inside the sandbox'],
    [
      'test/attacks/sandboxVariables.test.ts',
      'no program around the sandbox has a variable of %s under its name',
    ],
  ],
  [
    'A40',
    'A command in the sandbox cannot mount, trace, or gain rights.',
    [sandbox, 'mounts the outside'],
    [sandbox, 'traces another process'],
    [sandbox, 'makes a user namespace'],
    [sandbox, 'can gain privileges'],
  ],
  [
    'A41',
    'A command in the sandbox cannot create or replace a protected file.',
    [sandbox, 'writes a git hook'],
    [sandbox, 'creates settings of an agent'],
    [sandbox, 'renames a folder over settings'],
  ],
  [
    'A42',
    'What a command starts ends with it, also when it leaves its group or session.',
    [shell, 'a daemon that left its session ends with its command, and nobody waits for it'],
    [shell, 'what a command leaves in its group ends with it'],
    [
      'src/io/pty/pty.test.ts',
      'ends with everything that began in it: stopped jobs, other groups, other sessions, orphans',
    ],
  ],
  [
    'A43',
    'Without a sandbox every command asks that no rule allows, and where nobody can answer it is refused.',
    [commands, 'commands that no rule speaks of'],
    [
      'test/scenarios/run.test.ts',
      'what nobody can approve is refused, the model is told, and the exit code says so',
    ],
  ],
  // What a folder brings along.
  [
    'A44',
    'A folder that is not trusted runs nothing, allows nothing, sends nothing, and reads nothing outside itself.',
    [
      'test/scenarios/knowledge.test.ts',
      'project files of a stranger run nothing and allow nothing; a broken file is told in every conversation',
    ],
    [settings, 'has no effect but to forbid'],
    [settings, 'of a folder runs no command, reads no file and names no variable before it is trusted'],
    [hostile, '%s that leads out of the folder is not read'],
    [hostile, '%s that leads out of the folder is not read, and says so'],
    [hostile, 'the environment of the host is not read'],
    ['test/scenarios/trust.test.ts', 'parley run goes on untrusted and says so'],
    [
      'src/agents/native/prompt/systemPrompt.test.ts',
      'what is not trusted stands after everything else, within a mark that it cannot close',
    ],
  ],
  [
    'A45',
    'Trust ends when what was trusted changes, scripts included.',
    [settings, 'is trusted with this content only, and never about the host itself'],
    [settings, 'of a folder is trusted together with the scripts that it names'],
    [output, 'parley trust shows, and trusts nothing where nobody can answer'],
    [chat, 'asks whether to trust a folder before its programs run, and trust takes effect at once'],
    ['test/scenarios/chatScreen.test.ts', 'enter alone trusts no folder, however often it is pressed'],
    [remote, 'whether to trust a folder is asked of nobody who may only approve, and not taken from them'],
    [
      'test/scenarios/trust.test.ts',
      'an AHP client trusts this time; a script that changes during the turn does not run and is asked about',
    ],
    [
      'src/host/turns/trustQuestions.test.ts',
      'a trusted folder that changes while the agent works is asked about at once',
    ],
  ],
  [
    'A46',
    'Nothing in a folder redirects our own files, the network or a provider.',
    [settings, 'is trusted with this content only, and never about the host itself'],
    ['test/attacks/folderEnvironment.test.ts', 'variables in the files of a folder do not reach the program'],
    [
      'test/scenarios/ecaRemote.test.ts',
      'a folder cannot let browsers in, and without a wish nothing listens',
    ],
  ],
  [
    'A47',
    'Unknown words on the command line are refused, and a sign-in link carries nothing but a code.',
    ['test/scenarios/cliHelp.test.ts', 'parley %s --nonsense'],
    ['src/io/auth/devices.test.ts', 'a code makes one device, once'],
  ],
  // Tool servers and external agents.
  [
    'A48',
    'Tools of servers have names of their own, hidden text in what they say does not reach the model, and ' +
      'whoever approves a call reads what the server says of it.',
    [
      'src/agents/native/tools/serverTools.test.ts',
      'the model is told of the tools and of what the server says; a call is asked about, then made, and logged with its server',
    ],
    [
      'src/agents/native/tools/serverTools.test.ts',
      'every tool has a name of its own that all providers take',
    ],
    [
      'src/io/mcp/connection/content.test.ts',
      'what people do not see is not told to models, and still counts as another tool',
    ],
    [
      servers,
      'tools with the same name, with a name that is too long or of other letters are told apart by names that every provider takes',
    ],
  ],
  [
    'A49',
    'A tool that changes after it was approved is asked about again.',
    [
      'src/agents/native/tools/serverTools.test.ts',
      'what is always allowed is asked about again once its server says something else of it',
    ],
  ],
  [
    'A50',
    'Results are data within limits, and a server sends people to web pages only.',
    [ownServers, 'a huge result is cut'],
    ['test/scenarios/toolServersNative.test.ts', 'a result of any size is cut for the log and the model'],
    [servers, 'sends people to pages, before a call and in the middle of one, and to no other places'],
  ],
  [
    'A51',
    'A sign-in believes only the issuer, port, word and resource that it began with; tokens stay private.',
    [signIn, 'a server that %s is not signed in to'],
    [signIn, 'an answer that another issuer signed is refused, and its code is not used'],
    [signIn, 'a code that comes without the word of this sign-in, or to another place, is not used'],
    [signIn, 'whoever takes over the server during a sign-in gets no code'],
    [signIn, 'a token is for one address, readable by its owner alone, and in nothing that clients are told'],
  ],
  [
    'A52',
    'What an external agent asks of the host is judged like everything else, and a flood of it is stopped. ' +
      'What a session file tells of files is not believed.',
    [
      'src/app/sessions/sessionImport.test.ts',
      'an undo writes none of the texts that a file gives as those of a call (%s)',
    ],
    [
      'src/agents/acp/requests/files.test.ts',
      'is asked about like everything else, and is in the log as a call with its change',
    ],
    ['src/agents/acp/requests/files.test.ts', 'is not done where nobody wants it'],
    [agent, 'about other sessions tells nobody'],
    [agent, 'without an end is stopped'],
    [
      'src/agents/acp/requests/permissions.test.ts',
      'options of an unknown kind deny, whatever their label says',
    ],
  ],
  // What leaves the machine.
  [
    'A53',
    'Requests to the web need an approval for exactly their host, and pictures are not loaded.',
    [toolCalls, 'the web is asked about by its place, and this machine every time'],
    [toolCalls, 'an answer for the session is about the place on the web, and no other'],
    [page, 'a hostile transcript executes nothing'],
  ],
  [
    'A54',
    'Secrets are in no log, trace, transcript or environment of a program that does not need them.',
    [
      'test/scenarios/models.test.ts',
      'a whole turn: words, a call with permission, the file, the price, a title, and no key anywhere',
    ],
    ['test/scenarios/processes.test.ts', 'a wire trace holds every message and no secret'],
    ['src/io/diagnostics/trace.test.ts', '%s is traced as %s'],
    ['src/cli/doctor/reportSettings.test.ts', 'a report has no secret, wherever the settings have it'],
    [shell, 'the environment of a child holds what the list names and what its caller adds'],
    [ownServers, 'it knows the workspace and what it was given, and none of our secrets'],
    [
      'src/agents/acp/agent.test.ts',
      'with our environment, but with no secrets of others and nothing of our own',
    ],
  ],
  [
    'A55',
    'Files that people keep secrets in are asked about, and a rule against a path holds for every reader.',
    [paths, 'files of secrets'],
    [commands, 'files of secrets in commands'],
    [hidden, 'a command asks if it searches files of secrets'],
    [paths, 'denied through a link'],
    ['test/attacks/sandboxMoved.test.ts', 'reads what the settings hide in every workspace'],
  ],
  [
    'A56',
    'Addresses of this machine and its network are judged after every redirect and by what names resolve to.',
    [
      'src/io/http/webPages.test.ts',
      'a name that leads to this machine is not followed, and what is for one link alone is never read',
    ],
    ['src/host/policy/privateAddresses.test.ts', '%s is private: %s'],
    ['src/host/policy/privateAddresses.test.ts', '%s is for one link alone: %s'],
    ['src/io/agents/install/download.test.ts', '%s does not lead to %s, which is not asked'],
    [
      'src/app/notify/push.test.ts',
      'a device that may not run commands reaches nothing in this network, and delays nobody',
    ],
  ],
  // What is shown.
  [
    'A57',
    'Nothing in a transcript runs, loads or navigates in the console.',
    [page, 'a hostile transcript executes nothing'],
    [page, 'the policy of the page stops what the sanitiser would let through'],
  ],
  [
    'A58',
    'Links lead to the web only.',
    [page, 'a hostile transcript executes nothing'],
    [ask, 'a page to visit opens only on the web'],
  ],
  [
    'A59',
    "Escape sequences act in the console's emulator alone, and nothing is typed that nobody typed.",
    [emulator, 'no question of a program is answered, and no command reaches beyond the emulator'],
    [emulator, 'pasted text stays inside its brackets'],
    [emulator, 'a million escape sequences leave the page usable'],
    [output, 'parley run: words, titles and refusals'],
    [chat, 'what hides in a command is spelled out'],
  ],
  [
    'A60',
    'Names and titles are text wherever they are shown.',
    [page, 'a hostile transcript executes nothing'],
    [output, 'parley config show, sessions and errors'],
    [output, 'parley trust on a terminal asks first: %s'],
  ],
  // Resources and the package.
  [
    'A61',
    'No expression or pattern of a model, a folder or a setting holds up the host.',
    ['src/host/policy/expression.test.ts', '/%s/ takes no time to speak of, however long the text'],
    ['src/host/policy/policy.test.ts', '%s in a deny rule is tried in no time, or denies'],
    ['src/host/settings/projectKnowledge.test.ts', 'a slow expression for names takes no time'],
    ['src/io/files/workspace.test.ts', 'searching %s'],
  ],
  [
    'A62',
    'A model that calls without end, or very often at once, is stopped and told.',
    [
      'src/agents/native/agent.test.ts',
      'a model that always calls is stopped after so many steps, and ids it repeats are made unique',
    ],
    [
      'src/agents/native/turn/calls/runCalls.test.ts',
      'run only so many side by side, and only so many at all; the model is told of the rest',
    ],
    [
      'src/agents/native/turn/subagent.test.ts',
      'it is told who it is, has its own tools, model and variant, and gives nothing on',
    ],
    ['test/scenarios/budget.test.ts', 'a turn in which the model was asked as often as it may be'],
    ['src/agents/native/models/wires/shared/answerJson.test.ts', 'a call with %s is not built'],
  ],
  [
    'A63',
    'A command has limits of time and output, and ends with everything that it started.',
    [shell, 'a timeout ends the command'],
    [shell, 'a stop ends the whole tree, with those that ignore it and those that left the group'],
    [
      'src/agents/native/tools/tools.test.ts',
      'output arrives while the command runs, and only its ends are kept of a flood',
    ],
    [
      'test/scenarios/budget.test.ts',
      'a command that runs longer than the settings let it is stopped, unless the model wants it otherwise',
    ],
    [
      'src/io/sandbox/sandbox.test.ts',
      'starts only so many processes, and is the first to end without memory',
    ],
  ],
  [
    'A64',
    'The package has exactly its files, pinned dependencies, their licences, and runs no script when installed.',
    [packed, 'holds exactly the expected files'],
    [packed, 'it has the licence text of every package that it contains, and a bill of materials'],
    ['test/package.test.ts', 'every dependency is pinned to one version'],
    ['test/package.test.ts', 'no other dependency has an install script'],
    [
      'test/supplyChain.test.ts',
      'a release is tested, its dependencies are verified, and it is published with provenance',
    ],
  ],
];

export const attackRequirements: readonly StandingRequirement[] = rows.map(([id, text, ...tests]) => ({
  id,
  text,
  tests,
}));

export const untestedAttacks: readonly UntestedRequirement[] = [
  {
    id: 'A1.time',
    text: 'The time of a refusal tells nothing about the token.',
    reason: 'A busy machine hides such differences. The comparison takes constant time by construction.',
  },
  {
    id: 'A9.user',
    text: 'Another user of the machine can read neither the token nor the environment of the host.',
    reason: 'Tests do not create users. They check the modes of all files and of the socket instead.',
  },
  {
    id: 'A47.links',
    text: 'A link that another program opens cannot carry settings.',
    reason: 'No such links are registered.',
  },
  {
    id: 'A63.memory',
    text: 'A command that takes all memory or disk space of the machine is stopped.',
    reason: 'The sandbox sets no such limits; they are those of the user.',
  },
];
