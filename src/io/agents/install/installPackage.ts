// Installs the package of an agent with npm or uv into a folder of its own.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { findProgram } from '../../processes/findProgram.ts';
import { runTool } from './runTool.ts';
import type { ToolOptions } from './runTool.ts';
import { satisfies } from './versionRange.ts';

export interface InstalledPackage {
  /** The full path of the program. */
  readonly command: string;
  /** The version that was installed. */
  readonly version?: string;
  /** The checksum that npm has verified. */
  readonly checksum?: string;
}

/** Why npm cannot install and run the package here; undefined if it can. */
export async function checkNpm(spec: string, options: ToolOptions): Promise<string | undefined> {
  const missing = ['node', 'npm'].find((name) => findProgram(name, options.env) === undefined);
  if (missing !== undefined) return `It needs ${missing}, which was not found on the PATH.`;
  const node = (await runTool('node', ['--version'], options)).out.trim();
  const { out } = await runNpm(['view', spec, 'engines.node', '--json'], options);
  const wanted = lastText(out);
  return wanted === undefined || satisfies(node, wanted)
    ? undefined
    : `It needs Node ${wanted}; the node on the PATH is ${node.replace(/^v/, '')}.`;
}

/** Without what npm says about itself. */
function runNpm(args: readonly string[], options: ToolOptions): ReturnType<typeof runTool> {
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
  return runTool('npm', [...args, ...quiet], options);
}

/** npm prints nothing, a text, or one text for each version that matches. */
function lastText(json: string): string | undefined {
  const value: unknown = json.trim() === '' ? undefined : JSON.parse(json);
  const last: unknown = Array.isArray(value) ? value.at(-1) : value;
  return typeof last === 'string' ? last : undefined;
}

const manifest = z.object({
  version: z.string(),
  bin: z.union([z.string(), z.record(z.string(), z.string())]).optional(),
});

const lock = z.object({
  packages: z.record(z.string(), z.object({ integrity: z.string().optional() })),
});

export async function installNpm(
  spec: string,
  into: string,
  options: ToolOptions,
): Promise<InstalledPackage> {
  // Without a file of its own npm would look for a project in the folders above.
  writeFileSync(join(into, 'package.json'), '{ "private": true }\n');
  await runNpm(['install', '--prefix', into, '--save-exact', spec], { ...options, cwd: into });
  const name = packageName(spec);
  const read = (file: string): unknown => JSON.parse(readFileSync(join(into, file), 'utf8'));
  const { version, bin } = manifest.parse(read(join('node_modules', ...name.split('/'), 'package.json')));
  const checksum = lock.parse(read('package-lock.json')).packages[`node_modules/${name}`]?.integrity;
  const ending = process.platform === 'win32' ? '.cmd' : '';
  return {
    command: join(into, 'node_modules', '.bin', `${programName(name, bin)}${ending}`),
    version,
    ...(checksum === undefined ? {} : { checksum }),
  };
}

/** The program that npx would run. */
function programName(name: string, bin: z.output<typeof manifest>['bin']): string {
  const short = name.split('/').at(-1) ?? name;
  if (typeof bin === 'string') return short;
  const names = Object.keys(bin ?? {});
  const [only] = names;
  if (only !== undefined && (names.length === 1 || !names.includes(short))) return only;
  if (only === undefined) throw new Error(`The package ${name} has no program.`);
  return short;
}

/** Why uv cannot install packages here; undefined if it can. */
export function checkUv({ env }: ToolOptions): string | undefined {
  return findProgram('uv', env) === undefined
    ? 'It needs uv, which was not found on the PATH. See https://docs.astral.sh/uv for how to install it.'
    : undefined;
}

export async function installUv(spec: string, into: string, options: ToolOptions): Promise<InstalledPackage> {
  const bin = join(into, 'bin');
  await mkdir(bin, { recursive: true });
  const env = { ...options.env, UV_TOOL_DIR: join(into, 'tools'), UV_TOOL_BIN_DIR: bin };
  await runTool('uv', ['tool', 'install', '--force', spec.replace(/@(?=\d)/, '==')], { ...options, env });
  const name = /^[\w.-]+/.exec(spec)?.[0] ?? spec;
  const programs = readdirSync(bin);
  const found = programs.find((each) => each.replace(/\.exe$/, '') === name) ?? programs[0];
  if (found === undefined) throw new Error(`The package ${name} has no program.`);
  const [, version] = /(?:==|@)(\d[\w.+-]*)$/.exec(spec) ?? [];
  return { command: join(bin, found), ...(version === undefined ? {} : { version }) };
}

/** The name in "@scope/name@version". */
function packageName(spec: string): string {
  const at = spec.indexOf('@', 1);
  return at < 0 ? spec : spec.slice(0, at);
}
