// The external agents that Parley knows: how to start each, which environment variables it needs, and
// its quirks. Those with `sandbox` have done whole tasks in it in our tests. Data only.
import type { AgentProgram } from './process/program.ts';

/** Keys of model providers that agents without a provider of their own may use. */
const providerKeys = [
  'ANTHROPIC_*',
  'OPENAI_*',
  'GEMINI_*',
  'GOOGLE_*',
  'OPENROUTER_*',
  'MISTRAL_*',
  'GROQ_*',
  'XAI_*',
  'DEEPSEEK_*',
  'AZURE_*',
  'AWS_*',
  'OLLAMA_*',
];

export const catalogue: readonly AgentProgram[] = [
  {
    id: 'claude',
    name: 'Claude Code',
    description: 'Coding agent by Anthropic.',
    command: 'claude-agent-acp',
    args: [],
    inherits: ['ANTHROPIC_*', 'CLAUDE_*', 'AWS_*', 'GOOGLE_*', 'DISABLE_*'],
    install:
      'Install it with "npm install -g @agentclientprotocol/claude-agent-acp". It needs Node 22 or newer.',
    signIn: 'Run "claude" in a terminal and sign in, or set ANTHROPIC_API_KEY.',
    quirks: { root: 'refused' },
    needs: {
      folders: ['~/.claude', '~/.claude.json'],
      variables: ['CLAUDE_CONFIG_DIR'],
      hosts: ['api.anthropic.com', 'claude.ai', 'platform.claude.com'],
    },
  },
  {
    id: 'codex',
    name: 'Codex',
    description: 'Coding agent by OpenAI.',
    command: 'codex-acp',
    args: [],
    inherits: ['OPENAI_*', 'CODEX_*'],
    install: 'Install it with "npm install -g @agentclientprotocol/codex-acp".',
    signIn: 'Run "codex login" in a terminal, or set OPENAI_API_KEY.',
    // In its usual mode another model decides about commands; in this one it asks.
    quirks: { mode: 'read-only' },
    sandbox: 'auto',
    needs: {
      folders: ['~/.codex'],
      variables: ['CODEX_HOME'],
      hosts: ['api.openai.com', 'chatgpt.com', 'auth.openai.com'],
      mode: 'agent-full-access',
    },
  },
  {
    id: 'gemini',
    name: 'Gemini CLI',
    description: 'Coding agent by Google.',
    command: 'gemini',
    args: ['--acp'],
    inherits: ['GEMINI_*', 'GOOGLE_*'],
    install: 'Install it with "npm install -g @google/gemini-cli".',
    signIn: 'Run "gemini" in a terminal and sign in, or set GEMINI_API_KEY.',
    // It takes a file that does not exist yet for a failure.
    quirks: { files: 'off' },
    sandbox: 'auto',
    needs: {
      folders: ['~/.gemini'],
      hosts: ['generativelanguage.googleapis.com', 'cloudcode-pa.googleapis.com', 'oauth2.googleapis.com'],
    },
  },
  {
    id: 'copilot',
    name: 'GitHub Copilot',
    description: 'Coding agent by GitHub.',
    command: 'copilot',
    args: ['--acp'],
    inherits: ['COPILOT_*', 'GITHUB_TOKEN', 'GH_TOKEN', 'GH_HOST'],
    install: 'Install it with "npm install -g @github/copilot".',
    signIn: 'Run "copilot" in a terminal and sign in with /login.',
    sandbox: 'auto',
    needs: {
      folders: ['~/.copilot', '~/.config/github-copilot'],
      variables: ['COPILOT_HOME'],
      hosts: ['*.githubcopilot.com', 'api.github.com'],
    },
  },
  {
    id: 'opencode',
    name: 'opencode',
    description: 'Open-source coding agent for many models.',
    command: 'opencode',
    args: ['acp'],
    inherits: ['OPENCODE_*', ...providerKeys],
    install: 'Install it with "npm install -g opencode-ai".',
    signIn: 'Run "opencode auth login" in a terminal.',
    // By its own default it asks nothing.
    quirks: { askingEnv: { OPENCODE_PERMISSION: '{"edit":"ask","bash":"ask"}' } },
    sandbox: 'auto',
    needs: {
      folders: ['~/.config/opencode', '~/.local/share/opencode', '~/.local/state/opencode'],
      hosts: ['opencode.ai', 'models.dev'],
    },
  },
  {
    id: 'kilo',
    name: 'Kilo Code',
    description: 'Open-source coding agent for many models.',
    command: 'kilo',
    args: ['acp'],
    inherits: ['KILO_*', 'KILOCODE_*', ...providerKeys],
    install: 'Install it with "npm install -g @kilocode/cli".',
    signIn: 'Run "kilo auth login" in a terminal.',
    // By its own default it asks nothing.
    quirks: { askingEnv: { KILO_PERMISSION: '{"edit":"ask","bash":"ask"}' } },
    needs: { folders: ['~/.config/kilo', '~/.local/share/kilo', '~/.local/state/kilo'] },
  },
  {
    id: 'goose',
    name: 'goose',
    description: 'Open-source agent for many models.',
    command: 'goose',
    args: ['acp', '--with-builtin', 'developer'],
    inherits: ['GOOSE_*', ...providerKeys],
    install: 'Install its command line program from https://github.com/aaif-goose/goose/releases.',
    signIn: 'Run "goose configure" in a terminal and choose a provider.',
    // It repeats any version it is asked for, ends a stopped turn as if it were complete, and
    // stays when its input ends.
    quirks: { end: 'ignored' },
    sandbox: 'auto',
    needs: { folders: ['~/.config/goose', '~/.local/share/goose', '~/.local/state/goose'] },
  },
  {
    id: 'kimi',
    name: 'Kimi Code',
    description: 'Coding agent by Moonshot AI.',
    command: 'kimi',
    args: ['acp'],
    inherits: ['KIMI_*', 'MOONSHOT_*'],
    install: 'Install it with "npm install -g @moonshot-ai/kimi-code". It needs Node 22 or newer.',
    signIn: 'Run "kimi" in a terminal and sign in with /login.',
    needs: { folders: ['~/.kimi'], hosts: ['api.kimi.com', 'api.moonshot.ai', 'api.moonshot.cn'] },
  },
  {
    id: 'qwen',
    name: 'Qwen Code',
    description: 'Coding agent for the Qwen models.',
    command: 'qwen',
    args: ['--acp'],
    inherits: ['QWEN_*', 'DASHSCOPE_*', 'OPENAI_*'],
    install: 'Install it with "npm install -g @qwen-code/qwen-code". It needs Node 22 or newer.',
    signIn: 'Run "qwen" in a terminal and sign in.',
    // In its own default another model decides about commands; in this mode it asks.
    quirks: { mode: 'default' },
    sandbox: 'auto',
    needs: { folders: ['~/.qwen'], hosts: ['chat.qwen.ai', 'portal.qwen.ai'] },
  },
  {
    id: 'pi',
    name: 'pi',
    description: 'Small open-source coding agent. It does not ask for permission.',
    command: 'pi-acp',
    args: [],
    inherits: ['PI_*', ...providerKeys],
    install:
      'Install it with "npm install -g pi-acp @earendil-works/pi-coding-agent". It needs Node 22 or newer.',
    signIn: 'Run "pi" in a terminal and choose a provider.',
    quirks: { asks: 'never' },
    needs: { folders: ['~/.pi'] },
  },
];
