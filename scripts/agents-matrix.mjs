// Drives the published agents through all steps of the matrix and writes docs/agents-matrix.md:
// --agents claude,kimi tries only these and keeps the other rows. Installs what `npm test` does not need, and
// runs as a normal account where it is started as the administrator, because some agents refuse to work then.
import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const page = 'docs/agents-matrix.md';
const more = 'test/realAgents/more';
const nobody = 65_534;

const { values } = parseArgs({ options: { agents: { type: 'string' } } });
run(process.execPath, ['scripts/prepare.mjs', 'test']);
if (!existsSync(join(more, 'node_modules')))
  run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', more]);
const folder = mkdtempSync(join(tmpdir(), 'parley-matrix-'));
const results = join(folder, 'results.jsonl');
const isRoot = process.getuid?.() === 0;
const account = isRoot ? { uid: nobody, gid: nobody } : {};
if (isRoot) chownSync(folder, nobody, nobody);
const env = {
  ...process.env,
  HOME: folder,
  TMPDIR: folder,
  PARLEY_MATRIX: results,
  ...(values.agents === undefined ? {} : { PARLEY_MATRIX_AGENTS: values.agents }),
};
const test = [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--configLoader=runner',
  '--maxWorkers=1',
  'test/realAgents/matrix.test.ts',
];
spawnSync(process.execPath, test, { stdio: 'inherit', env, ...account });
const tried = existsSync(results)
  ? readFileSync(results, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  : [];
rmSync(folder, { recursive: true, force: true });
// What is not installed was not measured; its rows stay as they are.
const measured = tried.filter(({ id }) => versionOf(id) !== undefined);
for (const { id } of tried)
  if (!measured.some((each) => each.id === id)) process.stderr.write(`${id} is not installed here.\n`);
const rows = [...kept(measured), ...measured.flatMap(rowsOf)];
writeFileSync(page, pageOf(rows.toSorted((one, other) => agentOf(one).localeCompare(agentOf(other)))));

function run(command, args) {
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

function agentOf(row) {
  return /^\| `([a-z]+)` \|/.exec(row)?.[1] ?? '';
}

/** The rows of agents that were not tried now. */
function kept(now) {
  const renewed = new Set(now.map(({ id }) => id));
  const text = existsSync(page) ? readFileSync(page, 'utf8') : '';
  return text.split('\n').filter((line) => {
    const id = agentOf(line);
    return id !== '' && !renewed.has(id);
  });
}

function rowsOf({ id, cells }) {
  const day = new Date().toISOString().slice(0, 10);
  return cells.map(({ step, result, reason }) => {
    const words = reason.replaceAll('|', '/').replaceAll(/\/(?:tmp|work)\/\S*/g, 'PATH');
    return `| \`${id}\` | ${versionOf(id)} | ${step} | ${result} | ${words} | ${day} |`;
  });
}

/** Undefined if it is not installed. */
function versionOf(id) {
  const packages = {
    claude: [more, '@agentclientprotocol/claude-agent-acp'],
    codex: ['test/realAgents', '@agentclientprotocol/codex-acp'],
    copilot: ['test/realAgents', '@github/copilot'],
    gemini: ['test/realAgents', '@google/gemini-cli'],
    goose: ['test/realAgents/goose', '@aaif/goose-binary-linux-x64'],
    kilo: [more, `@kilocode/cli-linux-${process.arch}`],
    kimi: [more, '@moonshot-ai/kimi-code'],
    opencode: ['test/realAgents', `opencode-linux-${process.arch}`],
    pi: [more, '@earendil-works/pi-coding-agent'],
    qwen: ['test/realAgents', '@qwen-code/qwen-code'],
  };
  const [base, name] = packages[id] ?? [];
  const file = base && join(base, 'node_modules', name, 'package.json');
  return file && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
}

function pageOf(lines) {
  return [
    '# Published agents, step by step',
    '',
    '`npm run agents:matrix` drives the agents as they are published, with the model of the tests, through',
    'what users do with them, and writes this table. Each row has the day on which it was measured, and what',
    'came in the way where a step did not pass. Agents without rows have not been measured to the end yet.',
    '',
    '`pi` has no mode in which it asks, so the two steps in which it should ask fail. In its place Parley',
    'asks once per chat before it works, and `parley run` refuses it without an explicit allow. npm has no',
    'package of `kilo` for Linux on arm64; on such a machine its rows stay as they were.',
    '',
    '| Agent | Version | Step | Result | Reason | Measured |',
    '| --- | --- | --- | --- | --- | --- |',
    ...lines,
    '',
  ].join('\n');
}
