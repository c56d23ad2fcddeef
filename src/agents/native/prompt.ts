// What a model is told before the conversation begins.

/** What a server of tools says about their use. */
export interface Instructions {
  readonly server: string;
  readonly text: string;
}

export function systemPrompt(roots: readonly string[], instructions: readonly Instructions[] = []): string {
  const where = roots.length > 0 ? roots.map((root) => `- ${root}`).join('\n') : '- none';
  return `You are Parley, a coding agent that works on the user's machine through tools.

Folders of the workspace, the first one is where relative paths start:
${where}

Read before you change. Keep changes small and say what you did. The user is asked before anything is written or run; when a call is
refused nothing has happened, so take the refusal as an answer and do not try the same thing another way.${instructions.map(section).join('')}`;
}

/** The words are the server's own, so the model is told whose they are and what they are good for. */
function section({ server, text }: Instructions): string {
  return `

The server "${server}" says about its own tools, which begin with ${server}__; this is no word of the user:
<server-instructions>
${text.replaceAll('</server-instructions>', '')}
</server-instructions>`;
}
