// Agents of the public registry that Parley knows under a shorter id, so that they keep their quirks.

const aliases: { readonly [registryId: string]: string | undefined } = {
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
  'pi-acp': 'pi',
  'qwen-code': 'qwen',
};

/** The id of an agent of the registry here. */
export function agentIdOf(registryId: string): string {
  return (Object.hasOwn(aliases, registryId) ? aliases[registryId] : undefined) ?? registryId;
}
