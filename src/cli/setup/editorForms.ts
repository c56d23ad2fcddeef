// The settings of other plugins of the same editors. They are printed only, since every user
// arranges them differently.

export function otherForms(editor: string, program: string, host: HostPlace): readonly OtherForm[] {
  const path = JSON.stringify(program);
  return forms[editor]?.(path, host) ?? [];
}

export interface HostPlace {
  /** The variables with which a plugin finds the same host. */
  readonly env: readonly (readonly [name: string, value: string])[];
  /** How to reach the running host; absent if none runs. */
  readonly access?: HostAccess | undefined;
}

export interface HostAccess {
  readonly address: string;
  readonly token: string;
}

export interface OtherForm {
  readonly plugin: string;
  readonly lines: readonly string[];
}

const forms: {
  readonly [editor: string]: ((path: string, host: HostPlace) => readonly OtherForm[]) | undefined;
} = {
  emacs: (path, { env }) => [
    {
      plugin: 'agent-shell, an element of agent-shell-agent-configs',
      lines: [
        '(agent-shell-make-agent-config :identifier \'parley :mode-line-name "Parley" :buffer-name "Parley"',
        '  :shell-prompt "Parley> " :shell-prompt-regexp "Parley> "',
        `  :client-maker (lambda (buffer) (agent-shell--make-acp-client :command ${path} ` +
          `:command-params '("acp")`,
        `                                   :environment-variables ${lispList(env)} :context-buffer buffer)))`,
      ],
    },
  ],
  nvim: (path, { env }) => [
    {
      plugin: 'CodeCompanion, in its setup',
      lines: [
        'adapters = { acp = { parley = function()',
        '  return require("codecompanion.adapters").extend("opencode", {',
        `    name = "parley", formatted_name = "Parley", env = ${luaTable(env)},`,
        `    commands = { default = { ${path}, "acp" } }, defaults = { mcpServers = {}, timeout = 20000 } })`,
        'end } },',
        'interactions = { chat = { adapter = "parley" } }',
      ],
    },
    {
      plugin: 'avante.nvim, in its setup',
      lines: [
        'provider = "parley",',
        `acp_providers = { ["parley"] = { command = ${path}, args = { "acp" }, env = ${luaTable(env)} } }`,
      ],
    },
  ],
  vscode: (_, { access }) => [
    {
      plugin:
        'The Agents window without an extension, in settings.json' +
        (access ? '' : '; ADDRESS is what parley serve prints, TOKEN what parley token prints'),
      lines: [
        '"chat.remoteAgentHostsEnabled": true,',
        '"chat.agentHost.allowSignedOutWhenUsable": true,',
        '"chat.remoteAgentHosts": ' +
          `[{ "name": "Parley", "address": ${JSON.stringify(access?.address ?? 'ws://ADDRESS')}, ` +
          `"connectionToken": ${JSON.stringify(access?.token ?? 'TOKEN')} }]`,
      ],
    },
  ],
};

function lispList(env: HostPlace['env']): string {
  return env.length === 0 ? 'nil' : `'(${env.map((each) => JSON.stringify(each.join('='))).join(' ')})`;
}

function luaTable(env: HostPlace['env']): string {
  return env.length === 0
    ? '{}'
    : `{ ${env.map(([name, value]) => `${name} = ${JSON.stringify(value)}`).join(', ')} }`;
}
