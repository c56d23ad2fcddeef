// Shared by the benchmarks: medians, the CPU time of other processes, a temporary home,
// and the baseline agent.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The smallest possible agent: answers initialize and session/new, and streams as many chunks
 * as the prompt asks for.
 */
export const bareAgent = `
let rest = '';
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
process.stdin.on('data', async (chunk) => {
  const lines = (rest + chunk).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    if (method === 'session/prompt') {
      const count = Number(/stream (\\d+)/.exec(params.prompt[0].text)[1]);
      for (let i = 0; i < count; i += 1) {
        send({ method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'word ' } } } });
        if (i % 8 === 0) await new Promise(setImmediate);
      }
    }
    send({ id, result: method === 'initialize' ? { protocolVersion: 1 } : method === 'session/new' ? { sessionId: 's' } : { stopReason: 'end_turn' } });
  }
});
process.stdin.on('end', () => process.exit(0));
`;

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** User and system time of a process so far, in milliseconds. */
export function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The same in fine steps, but only of the threads that still live. */
export function fineCpuOf(pid: number): number {
  return readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]))
    .reduce((sum, nanoseconds) => sum + nanoseconds / 1_000_000, 0);
}

/** The resident memory of a process, in MiB. */
export function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** The value below which a part of all values lies. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export function temporary(): { readonly dir: string; readonly remove: () => void } {
  const dir = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Without NODE_EXTRA_CA_CERTS, which makes every start of Node 20 slow. */
export function leanEnvironment(home: string): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  return { ...env, PARLEY_HOME: home, PARLEY_SCRIPTED: '1' };
}

export function start(args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  return spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
}

/** Resolves with the first output that contains a text. */
export function waitForOutput(child: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let all = '';
    child.stdout?.on('data', function hear(chunk: Buffer) {
      all = all.slice(-2 * text.length) + chunk.toString('latin1');
      if (!all.includes(text)) return;
      child.stdout?.off('data', hear);
      resolve();
    });
    child.once('exit', () => reject(new Error(`ended before saying ${text}`)));
  });
}

/** What the smallest possible program needs, where there is one, and what Parley needs. */
export interface Figure {
  /** Names its budget in bench/budgets.json. */
  readonly name: string;
  readonly unit: string;
  readonly floor?: number;
  readonly parley: number;
  /** What the program after `--peer` needs, where it was measured. */
  readonly peer?: number;
}

/** Hands figures to scripts/bench.mjs, which prints them in one table with their budgets. */
export function record(...figures: readonly Figure[]): void {
  const file = process.env['PARLEY_BENCH_FIGURES'];
  if (file === undefined) return;
  for (const figure of figures) appendFileSync(file, `${JSON.stringify(figure)}\n`);
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
