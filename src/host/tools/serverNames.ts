// The names of server tools for agents, settings and rules. Pure.

/** The prefix of a server's tools. It never contains or touches the separator, so servers cannot collide. */
export function serverPart(name: string): string {
  return namePart(name).replaceAll(/_{2,}/g, '_').replace(/_$/, '') || 'server';
}

export function serverToolName(server: string, tool: string): string {
  return `${serverPart(server)}__${namePart(tool)}`;
}

/**
 * Why a new server cannot have this name; undefined if it can. Only names that prefix their tools without a
 * change are taken: rules name tools by that prefix, and "my server" and "my_server" would share it.
 */
export function serverNameProblem(name: string): string | undefined {
  if (/^[a-z\d](?:[\w-]*[a-z\d])?$/i.test(name) && serverPart(name) === name) return undefined;
  return (
    `An MCP server cannot be named ${JSON.stringify(name)}. Use letters, digits, hyphens and single ` +
    'underscores; begin and end with a letter or a digit.'
  );
}

/** Tool names contain only letters, digits, `_` and `-`. */
function namePart(name: string): string {
  return name.replaceAll(/[^\w-]+/g, '_') || '_';
}
