import { expect, test } from 'vitest';
import { diagramName } from './diagramName.ts';

test.each([
  ['flowchart LR\n  accTitle: How it is paid\n  A --> B', 'How it is paid'],
  ['pie title Pets\n  "Dogs" : 3', 'Diagram: pie'],
  ['sequenceDiagram\n  title Calls\n  A->>B: x', 'Calls'],
  ['---\ntitle: Paid\n---\nflowchart LR', 'Paid'],
  ['---\nconfig: {}\n---\n%% a note\n  flowchart LR', 'Diagram: flowchart'],
  ['flowchart LR\n  titles --> B\n  title', 'Diagram: flowchart'],
])('the name of %j is %j', (code, name) => {
  expect(diagramName(code)).toBe(name);
});

test.each(['\n', ' ', '\n ', 'title\n', 'title '])('the name is found at once beside much of %j', (part) => {
  // Three seconds and more where each place is looked at from each other one.
  const began = performance.now();
  diagramName(`flowchart LR\nA --> B\n${part.repeat(100_000)}`);
  expect(performance.now() - began).toBeLessThan(2_000);
});
