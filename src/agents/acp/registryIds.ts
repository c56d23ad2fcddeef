// Agents that Parley knows under a shorter id than registries and packages, so that they keep their quirks.

const aliases: { readonly [name: string]: string | undefined } = {
  '@kilocode/cli': 'kilo',
  'claude-acp': 'claude',
  'claude-agent-acp': 'claude',
  'claude-code-acp': 'claude',
  'codex-acp': 'codex',
  'gemini-cli': 'gemini',
  'github-copilot': 'copilot',
  'github-copilot-cli': 'copilot',
  'kilo-code': 'kilo',
  kilocode: 'kilo',
  'kimi-cli': 'kimi',
  'kimi-code': 'kimi',
  'opencode-ai': 'opencode',
  'pi-acp': 'pi',
  'qwen-code': 'qwen',
};

/** The id here of an agent that a registry or a package gives this name. */
export function agentIdOf(name: string): string {
  return (Object.hasOwn(aliases, name) ? aliases[name] : undefined) ?? name;
}
