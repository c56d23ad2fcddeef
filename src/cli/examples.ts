// Examples of every command, for its help.

type Example = readonly [command: string, meaning: string];

export const examples: { readonly [command: string]: readonly Example[] | undefined } = {
  '': [['parley', 'start the host, print the link to the console and open it']],
  serve: [
    ['parley serve', 'run the host until Ctrl-C'],
    ['parley serve --store postgres://parley@db/parley', 'share the sessions with hosts on other machines'],
    ['parley serve --host 0.0.0.0', 'let phones and other machines connect, encrypted'],
  ],
  store: [
    [
      'parley store copy file:///srv/parley postgres://parley@db/parley',
      'move to a database; PGPASSWORD can hold the password',
    ],
    ['parley store copy postgres://parley@db/parley file:///srv/parley', 'move back'],
    ['parley store compact', 'give the space of deleted sessions back, for a log of an older version'],
  ],
  server: [['parley server', 'what eca-emacs and other ECA clients start']],
  'read-chat': [['parley read-chat --workspace .', 'list the chats of this folder']],
  acp: [
    ['parley acp', 'what Zed, JetBrains and other ACP clients start'],
    ['parley acp --agent codex', 'the same, with Codex as the agent of new sessions'],
  ],
  ahp: [['parley ahp', 'speak AHP through a pipe']],
  agents: [
    ['parley agents', 'list the agents'],
    ['parley agents install codex', 'install an agent of the public registry'],
    ['parley agents add mine -- my-agent --acp', 'add a program that speaks ACP'],
    ['parley agents test mine', 'see whether it works'],
  ],
  models: [['parley models', 'list the models that can be used']],
  login: [
    ['parley login anthropic', 'type or paste an API key, or sign in with a browser'],
    ['parley login openai --key-stdin < key.txt', 'save a key from a file'],
  ],
  logout: [['parley logout anthropic', 'remove its key']],
  run: [
    ['parley run "Explain this folder"', 'print the answer'],
    ['parley run --allow "$ npm test" "Run the tests"', 'allow one command'],
    ['git diff | parley run "Review this change" -', 'send the standard input with the prompt'],
    ['parley run --output json --timeout 10m "List the TODOs"', 'print one JSON result'],
    ['parley run --continue "Now fix the first one"', 'go on in the same session'],
  ],
  chat: [
    ['parley chat', 'start a session in this folder'],
    ['parley chat --continue', 'go on in the newest session of this folder'],
    ['parley chat 3f2a', 'continue the session whose ID begins with 3f2a'],
  ],
  demo: [['parley demo', 'watch an agent edit a file and ask for approval']],
  sessions: [
    ['parley sessions', 'list the sessions'],
    ['parley sessions search "cart total"', 'find a phrase in all transcripts'],
    ['parley sessions export 3f2a session.jsonl', 'save one session to a file'],
  ],
  mcp: [
    ['parley mcp add files -- mcp-files .', 'add a program on this machine'],
    ['parley mcp add docs --url https://mcp.example.com/mcp', 'add a remote server'],
  ],
  sandbox: [['parley sandbox -- npm test', 'run a command as agents run it']],
  setup: [
    ['parley setup zed', 'show the change, ask, and write it'],
    ['parley setup vscode --print', 'only print what would be written'],
    ['parley setup zed --remove', 'disconnect the editor'],
  ],
  doctor: [
    ['parley doctor', 'check everything, within 5 seconds'],
    ['parley doctor --bundle', 'write a report that you can attach to an issue'],
  ],
  config: [
    ['parley config', 'print every value and where it comes from'],
    ['parley config path', 'print the paths of the settings files'],
  ],
  trust: [['parley trust', "show this folder's settings, and ask whether you trust them"]],
  untrust: [['parley untrust', "ignore this folder's settings again"]],
  permissions: [
    ['parley permissions', 'list what is not asked about again'],
    ['parley permissions revoke 7c1d', 'ask about it again'],
  ],
  devices: [
    ['parley devices add --role approve', 'let a phone answer questions'],
    ['parley devices revoke 7c1d', 'sign a device out'],
  ],
  service: [
    ['parley service install', 'let the host start with your session'],
    ['parley service install --print', 'see the file first'],
  ],
  token: [
    ['parley token', 'print the token'],
    ['parley token rotate', 'replace it, for example after it was shared'],
  ],
  completion: [['source <(parley completion bash)', 'complete commands in this bash']],
  stop: [['parley stop', 'stop the host; sessions stay']],
};
