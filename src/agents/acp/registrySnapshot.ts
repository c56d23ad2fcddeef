// The agents that can be installed before any registry was fetched, in the format of the public registry: the
// npm packages of our catalogue, with the versions that Parley was tried with.

const npm = (
  id: string,
  name: string,
  spec: { readonly package: string; readonly args?: readonly string[] },
) => ({
  id,
  name,
  version: spec.package.slice(spec.package.lastIndexOf('@') + 1),
  description: '',
  distribution: { npx: spec },
});

export const registrySnapshot = {
  version: '1.0.0',
  agents: [
    npm('claude-acp', 'Claude Code', { package: '@agentclientprotocol/claude-agent-acp@0.99.1' }),
    npm('codex-acp', 'Codex', { package: '@agentclientprotocol/codex-acp@2.6.0' }),
    npm('gemini', 'Gemini CLI', { package: '@google/gemini-cli@0.61.0', args: ['--acp'] }),
    npm('github-copilot-cli', 'GitHub Copilot', { package: '@github/copilot@1.0.102', args: ['--acp'] }),
    npm('kilo', 'Kilo Code', { package: '@kilocode/cli@7.8.1', args: ['acp'] }),
    npm('kimi', 'Kimi Code', { package: '@moonshot-ai/kimi-code@2.1.0', args: ['acp'] }),
    npm('opencode', 'opencode', { package: 'opencode-ai@1.18.33', args: ['acp'] }),
    npm('pi-acp', 'pi', { package: 'pi-acp@0.0.34' }),
    npm('qwen-code', 'Qwen Code', { package: '@qwen-code/qwen-code@0.24.4', args: ['--acp'] }),
  ],
  extensions: [],
};
