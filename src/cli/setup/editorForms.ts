// The settings of other plugins of the same editors. They are printed only, since every user
// arranges them differently.

/** `access` is how to reach the running host; absent if none runs. */
export function otherForms(editor: string, program: string, access?: HostAccess): readonly OtherForm[] {
  const path = JSON.stringify(program);
  return forms[editor]?.(path, access) ?? [];
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
  readonly [editor: string]: ((path: string, access?: HostAccess) => readonly OtherForm[]) | undefined;
} = {
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
  vscode: (_, access) => [
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
