// Builds the page that draws diagrams, for a frame without an origin: one file with its scripts in it,
// because such a frame may load nothing. The page itself names these scripts as the only ones that may run.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const library = fileURLToPath(import.meta.resolve('@mermaid-js/tiny'));

/** The page, and the files of packages in it. */
export async function buildDiagram() {
  const { outputFiles } = await build({
    entryPoints: ['web/diagram/frame.ts'],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2023',
    logLevel: 'warning',
  });
  // The library is taken as it is, with the notices in it.
  const scripts = [readFileSync(library, 'utf8'), outputFiles[0].text];
  if (scripts.some((text) => /<\/?script/i.test(text))) throw new Error('A script would end before its end.');
  const allowed = scripts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  const content = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="script-src ${allowed.join(' ')}">
<title>Diagrams</title>
<body>
${scripts.map((text) => `<script>${text}</script>`).join('\n')}
`;
  return { name: 'diagram.html', content, used: [library] };
}
