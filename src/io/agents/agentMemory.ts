// Caches the offers of external agents between starts of the host, per program. An unreadable
// cache counts as empty.
import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { AgentInfo } from '../../host/agent.ts';
import { writePrivately } from '../files/privateFiles.ts';
import { readUserFile } from '../files/folderFile.ts';

type Offers = Partial<
  Pick<AgentInfo, 'models' | 'modes' | 'usual' | 'options' | 'commands' | 'accepts' | 'forgets'>
>;

export interface AgentMemory {
  /** `program` identifies the agent's exact command line and environment. */
  recall(id: string, program: string): Offers | undefined;
  keep(id: string, program: string, offers: Offers): void;
}

const named = z.object({ id: z.string(), name: z.string(), description: z.string().exactOptional() });

const offers = z.object({
  models: z.array(z.object({ id: z.string(), name: z.string() })).exactOptional(),
  modes: z.array(named).exactOptional(),
  usual: z.object({ mode: z.string().exactOptional(), model: z.string().exactOptional() }).exactOptional(),
  commands: z
    .array(z.object({ name: z.string(), description: z.string(), hint: z.string().exactOptional() }))
    .exactOptional(),
  options: z
    .array(
      named.extend({
        category: z.string().exactOptional(),
        value: z.union([z.string(), z.boolean()]),
        choices: z
          .array(z.object({ id: z.string(), label: z.string(), description: z.string().exactOptional() }))
          .exactOptional(),
      }),
    )
    .exactOptional(),
  accepts: z
    .object({
      images: z.boolean().exactOptional(),
      audio: z.boolean().exactOptional(),
      systemPrompt: z.enum(['append', 'override']).exactOptional(),
    })
    .exactOptional(),
  forgets: z.boolean().exactOptional(),
});

const stored = z.record(z.string(), z.object({ program: z.string(), offers }));

export function agentMemory(file: string, report: (problem: unknown, about: string) => void): AgentMemory {
  const entries = new Map(Object.entries(read(file)));
  return {
    recall(id, program) {
      const entry = entries.get(id);
      return entry?.program === digest(program) ? entry.offers : undefined;
    },
    keep(id, program, learned) {
      const fitting = offers.safeParse(learned);
      if (!fitting.success) return;
      entries.set(id, { program: digest(program), offers: fitting.data });
      try {
        writePrivately(file, `${JSON.stringify(Object.fromEntries(entries))}\n`);
      } catch (error) {
        report(error, 'storing the offers of agents');
      }
    },
  };
}

function read(file: string): z.output<typeof stored> {
  try {
    const found = stored.safeParse(JSON.parse(readUserFile(file)));
    return found.success ? found.data : {};
  } catch {
    return {};
  }
}

/** A digest, because the program's environment may contain secrets. */
function digest(program: string): string {
  return createHash('sha256').update(program).digest('hex');
}
