#!/usr/bin/env node
'use strict';
// The launcher: runs the built program and knows nothing else.
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const program = join(__dirname, '..', 'dist', 'parley.cjs');
if (existsSync(program)) {
  require(program);
} else {
  process.stderr.write('parley is not built yet: run `npm run build` in its folder first.\n');
  process.exitCode = 1;
}
