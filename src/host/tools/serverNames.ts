// What the tools of servers are called towards agents, in settings and in rules. Pure.

/** What a server's name becomes before its tools. It never holds the separator nor runs into it, so no server can take a name of another one's tool. */
export function serverPart(name: string): string {
  return namePart(name).replaceAll(/_{2,}/g, '_').replace(/_$/, '') || 'server';
}

export function serverToolName(server: string, tool: string): string {
  return `${serverPart(server)}__${namePart(tool)}`;
}

/** Only letters, digits, `_` and `-` may stand in the name of a tool. */
function namePart(name: string): string {
  return name.replaceAll(/[^\w-]+/g, '_') || '_';
}
