// Reads the public registry of agents, in the format that its own project publishes. Entries that cannot
// be read are left out.
import * as z from 'zod';

const env = z.record(z.string(), z.string()).optional().catch(undefined);
const args = z.array(z.string()).optional().catch(undefined);

/** A name, with extras for Python, and a version: no option of the installing tool, address or folder. */
const packageSpec = /^(?:@[\w.-]+\/)?\w[\w.-]*(?:\[[\w,.-]+\])?(?:(?:@|==)\w[\w.+-]*)?$/;
const packaged = z.object({ package: z.string().regex(packageSpec), args, env });
const binary = z.object({
  archive: z.string(),
  cmd: z.string().min(1),
  args,
  env,
  /** In hex; not every registry has it. */
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/i)
    .optional(),
});

const entry = z.object({
  id: z.string().regex(/^[a-z][a-z0-9-]*$/),
  name: z.string().min(1),
  version: z.string().catch(''),
  description: z.string().catch(''),
  license: z.string().optional().catch(undefined),
  distribution: z.object({
    npx: packaged.optional().catch(undefined),
    uvx: packaged.optional().catch(undefined),
    binary: z.record(z.string(), binary).optional().catch(undefined),
  }),
});

export type RegistryEntry = z.output<typeof entry>;

/** Undefined where it is no registry at all. */
export function readRegistry(value: unknown): readonly RegistryEntry[] | undefined {
  const read = z.object({ agents: z.array(z.unknown()) }).safeParse(value);
  if (!read.success) return undefined;
  return read.data.agents.flatMap((one) => {
    const good = entry.safeParse(one);
    return good.success ? [good.data] : [];
  });
}
