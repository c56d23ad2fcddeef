// The names of server tools for agents, settings and rules. Pure.

/** The prefix of a server's tools. It never contains or touches the separator, so servers cannot collide. */
export function serverPart(name: string): string {
  return namePart(name).replaceAll(/_{2,}/g, '_').replace(/_$/, '') || 'server';
}

export function serverToolName(server: string, tool: string): string {
  return `${serverPart(server)}__${namePart(tool)}`;
}

/** Tool names contain only letters, digits, `_` and `-`. */
function namePart(name: string): string {
  return name.replaceAll(/[^\w-]+/g, '_') || '_';
}
