// What a diagram is called for those who do not see it.

/** The name that the code gives it, or its kind. Each line by itself: somebody else wrote them. */
export function diagramName(code: string): string {
  const lines = code.split('\n').map((line) => line.trim());
  const title = lines.flatMap((line) => /^(?:accTitle|title)[\s:]+(.+)$/.exec(line)?.[1] ?? [])[0];
  const body = lines[0] === '---' ? lines.slice(lines.indexOf('---', 1) + 1) : lines;
  const [kind = ''] = body.flatMap((line) => /^[a-z]\S*/i.exec(line)?.[0] ?? []);
  return title ?? `Diagram: ${kind}`;
}
