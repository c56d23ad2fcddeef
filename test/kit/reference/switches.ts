// How the reference agent is to behave, as a test switches it in the variable REFERENCE_AGENT.
export interface Switches {
  readonly directory?: string;
  /** What it can do beyond the baseline. */
  readonly can?: readonly (
    | 'resume'
    | 'load'
    | 'fork'
    | 'list'
    | 'close'
    | 'delete'
    | 'directories'
    | 'images'
    | 'embedded'
    | 'systemPrompt'
    | 'steering'
    | 'servers'
    | 'http'
  )[];
  readonly offers?: readonly ('modes' | 'models' | 'options')[];
  /**
   * How it starts: not at all, with an error, never answering, in a wrong version, or only
   * after a login or a form.
   */
  readonly start?: 'exit' | 'error' | 'silent' | 'version-2' | 'login' | 'form';
  readonly authMethods?: readonly object[];
  /** How it calls itself. */
  readonly name?: string;
  /** Ways of real agents. */
  readonly quirks?: readonly (
    | 'echoes-version'
    | 'ends-cancelled-turns'
    | 'ignores-cancel'
    | 'stops-slowly'
    | 'ignores-end'
    | 'speaks-early'
    | 'greets-on-stdout'
    | 'forgets'
    | 'replays-slowly'
    | 'opens-slowly'
    | 'usage-after-turn'
    | 'echoes-prompt'
    | 'answers-null'
    // How it asks about a command: of no kind, of any kind, before it has told of the call, or never.
    | 'asks-without-kind'
    | 'asks-as-other'
    | 'asks-first'
    | 'never-asks'
    // It runs commands in terminals of the client, as whole lines; its words for others are its own; it takes
    // its time to leave; it tells no complete call.
    | 'uses-terminals'
    | 'own-words'
    | 'leaves-slowly'
    // Where it has lost a conversation, it says so in its own way.
    | 'lost-as-invalid'
    | 'lost-as-internal'
  )[];
}

export const switches = JSON.parse(process.env['REFERENCE_AGENT'] ?? '{}') as Switches;
export const can = new Set<string>(switches.can);
export const offers = new Set<string>(switches.offers);
export const quirks = new Set<string>(switches.quirks);
