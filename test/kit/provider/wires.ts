// All wire formats that the fake provider speaks: every file of the folder `wires`.
import { readdirSync } from 'node:fs';
import { isRecord } from '../../../src/base/isRecord.ts';
import type { Wire } from './reply.ts';

const folder = new URL('./wires/', import.meta.url);

export const wires: readonly Wire[] = await Promise.all(readdirSync(folder).toSorted().map(load));

async function load(file: string): Promise<Wire> {
  const module: unknown = await import(new URL(file, folder).href);
  if (!isRecord(module) || !isWire(module['wire'])) throw new Error(`${file} does not export a wire.`);
  return module['wire'];
}

function isWire(value: unknown): value is Wire {
  return isRecord(value) && isRecord(value['contract']) && typeof value['ask'] === 'function';
}
