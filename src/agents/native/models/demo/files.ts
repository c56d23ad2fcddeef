// Default contents for files that the demo model is asked to write.

export function template(path: string): string {
  const name = path.split('/').at(-1) ?? path;
  const ending = name.includes('.') ? (name.split('.').at(-1)?.toLowerCase() ?? '') : '';
  return (
    (Object.hasOwn(beginnings, ending) ? beginnings[ending]?.(name) : undefined) ??
    `${name}\n\nWritten by the demo model of Parley.\n`
  );
}

const beginnings: { readonly [ending: string]: ((name: string) => string) | undefined } = {
  py: () => 'print("Hello from Parley")\n',
  js: () => "console.log('Hello from Parley');\n",
  mjs: () => "console.log('Hello from Parley');\n",
  ts: () => "const greeting: string = 'Hello from Parley';\n\nconsole.log(greeting);\n",
  sh: () => '#!/bin/sh\necho "Hello from Parley"\n',
  rb: () => "puts 'Hello from Parley'\n",
  go: () => 'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Println("Hello from Parley")\n}\n',
  rs: () => 'fn main() {\n    println!("Hello from Parley");\n}\n',
  html: () => '<!doctype html>\n<title>Hello</title>\n<p>Hello from Parley</p>\n',
  json: () => '{\n  "hello": "Parley"\n}\n',
  md: (name) => `# ${name.replace(/\.md$/i, '')}\n\nWritten by the demo model of Parley.\n`,
};
