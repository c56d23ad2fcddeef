// The settings of other plugins of the same editors. They are printed only, since every user
// arranges them differently.

export function otherForms(editor: string, program: string): readonly OtherForm[] {
  const path = JSON.stringify(program);
  return forms[editor]?.(path) ?? [];
}

export interface OtherForm {
  readonly plugin: string;
  readonly lines: readonly string[];
}

const forms: { readonly [editor: string]: ((path: string) => readonly OtherForm[]) | undefined } = {
  emacs: (path) => [
    {
      plugin: 'agent-shell, an element of agent-shell-agent-configs',
      lines: [
        '(agent-shell-make-agent-config :identifier \'parley :mode-line-name "Parley" :buffer-name "Parley"',
        '  :shell-prompt "Parley> " :shell-prompt-regexp "Parley> "',
        `  :client-maker (lambda (buffer) (agent-shell--make-acp-client :command ${path} ` +
          `:command-params '("acp")`,
        '                                   :environment-variables nil :context-buffer buffer)))',
      ],
    },
  ],
  nvim: (path) => [
    {
      plugin: 'CodeCompanion, in its setup',
      lines: [
        'adapters = { acp = { parley = function()',
        '  return require("codecompanion.adapters").extend("opencode", {',
        '    name = "parley", formatted_name = "Parley",',
        `    commands = { default = { ${path}, "acp" } }, defaults = { mcpServers = {}, timeout = 20000 } })`,
        'end } },',
        'interactions = { chat = { adapter = "parley" } }',
      ],
    },
    {
      plugin: 'avante.nvim, in its setup',
      lines: [
        'provider = "parley",',
        `acp_providers = { ["parley"] = { command = ${path}, args = { "acp" }, env = {} } }`,
      ],
    },
  ],
  vscode: () => [
    {
      plugin:
        'The Agents window without an extension, in settings.json; ADDRESS is what parley serve prints, ' +
        'TOKEN is in the file "token" of the data directory',
      lines: [
        '"chat.remoteAgentHostsEnabled": true,',
        '"chat.agentHost.allowSignedOutWhenUsable": true,',
        '"chat.remoteAgentHosts": ' +
          '[{ "name": "Parley", "address": "ws://ADDRESS", "connectionToken": "TOKEN" }]',
      ],
    },
  ],
};
