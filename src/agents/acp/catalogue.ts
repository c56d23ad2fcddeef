// The agents we know by name: how each is started, what it needs of our environment, and where it has its own ways. Data only.
import type { AgentProgram } from './process/program.ts';

/** Keys of model providers that agents without a provider of their own may use. */
const providerKeys = [
  'ANTHROPIC_*', 'OPENAI_*', 'GEMINI_*', 'GOOGLE_*', 'OPENROUTER_*', 'MISTRAL_*', 'GROQ_*', 'XAI_*', 'DEEPSEEK_*', 'AZURE_*', 'AWS_*', 'OLLAMA_*',
];

export const catalogue: readonly AgentProgram[] = [
  {
    id: 'claude', name: 'Claude Code', description: 'The coding agent of Anthropic.',
    command: 'claude-agent-acp', args: [], inherits: ['ANTHROPIC_*', 'CLAUDE_*', 'AWS_*', 'GOOGLE_*', 'DISABLE_*'],
    install: 'Install it with "npm install -g @agentclientprotocol/claude-agent-acp".',
    signIn: 'Run "claude" in a terminal and sign in, or set ANTHROPIC_API_KEY.',
    quirks: { root: 'refused' },
  },
  {
    id: 'codex', name: 'Codex', description: 'The coding agent of OpenAI.',
    command: 'codex-acp', args: [], inherits: ['OPENAI_*', 'CODEX_*'],
    install: 'Install it with "npm install -g @agentclientprotocol/codex-acp".',
    signIn: 'Run "codex login" in a terminal, or set OPENAI_API_KEY.',
    // In its usual mode another model decides about commands; in this one it asks.
    quirks: { mode: 'read-only' },
  },
  {
    id: 'gemini', name: 'Gemini CLI', description: 'The coding agent of Google.',
    command: 'gemini', args: ['--acp'], inherits: ['GEMINI_*', 'GOOGLE_*'],
    install: 'Install it with "npm install -g @google/gemini-cli".',
    signIn: 'Run "gemini" in a terminal and sign in, or set GEMINI_API_KEY.',
    // It takes a file that does not exist yet for a failure.
    quirks: { files: 'off' },
  },
  {
    id: 'copilot', name: 'GitHub Copilot', description: 'The coding agent of GitHub.',
    command: 'copilot', args: ['--acp'], inherits: ['COPILOT_*', 'GITHUB_TOKEN', 'GH_TOKEN', 'GH_HOST'],
    install: 'Install it with "npm install -g @github/copilot".',
    signIn: 'Run "copilot" in a terminal and sign in with /login.',
  },
  {
    id: 'opencode', name: 'opencode', description: 'An open coding agent for many models.',
    command: 'opencode', args: ['acp'], inherits: ['OPENCODE_*', ...providerKeys],
    install: 'Install it with "npm install -g opencode-ai".',
    signIn: 'Run "opencode auth login" in a terminal.',
  },
  {
    id: 'kilo', name: 'Kilo Code', description: 'An open coding agent for many models.',
    command: 'kilo', args: ['acp'], inherits: ['KILO_*', 'KILOCODE_*', ...providerKeys],
    install: 'Install it with "npm install -g @kilocode/cli".',
    signIn: 'Run "kilo auth login" in a terminal.',
  },
  {
    id: 'goose', name: 'goose', description: 'An open agent for many models.',
    command: 'goose', args: ['acp', '--with-builtin', 'developer'], inherits: ['GOOSE_*', ...providerKeys],
    install: 'Install the goose command line program and put it on the PATH.',
    signIn: 'Run "goose configure" in a terminal and choose a provider.',
    // It repeats any version it is asked for, ends a stopped turn as if it were complete, and stays when its input ends.
    quirks: { end: 'ignored' },
  },
  {
    id: 'kimi', name: 'Kimi Code', description: 'The coding agent of Moonshot AI.',
    command: 'kimi', args: ['acp'], inherits: ['KIMI_*', 'MOONSHOT_*'],
    install: 'Install it with "npm install -g @moonshot-ai/kimi-code".',
    signIn: 'Run "kimi" in a terminal and sign in with /login.',
  },
  {
    id: 'qwen', name: 'Qwen Code', description: 'The coding agent of the Qwen models.',
    command: 'qwen', args: ['--acp'], inherits: ['QWEN_*', 'DASHSCOPE_*', 'OPENAI_*'],
    install: 'Install it with "npm install -g @qwen-code/qwen-code".',
    signIn: 'Run "qwen" in a terminal and sign in.',
  },
  {
    id: 'pi', name: 'pi', description: 'A small open coding agent. It asks for no permission.',
    command: 'pi-acp', args: [], inherits: ['PI_*', ...providerKeys],
    install: 'Install it with "npm install -g pi-acp" and put "pi" on the PATH.',
    signIn: 'Run "pi" in a terminal and choose a provider.',
  },
];
