// The background jobs of a session, for the console to list, read, write to and end.
import * as z from 'zod';
import { deviceBeside } from '../../base/deviceName.ts';
import type { Host } from '../../host/host.ts';
import { takesInput } from '../../host/tools/backgroundJobs.ts';
import type { Job } from '../../host/tools/backgroundJobs.ts';
import { isRejection } from '../../model/command.ts';
import type { Rejection } from '../../model/command.ts';
import type { Origin } from '../../model/event.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import { name, readParams } from './readParams.ts';
import type { ControlMethod } from './sessions.ts';

/** A null text ends the input. */
const written = z.object({ id: name, text: z.string().min(1).max(64_000).nullable() });

export function jobMethods(host: Host): { readonly [name: string]: ControlMethod } {
  const { jobs } = host;
  return {
    'jobs/list': (params) =>
      jobs.list(readParams(z.object({ session: name }), params)).map((job) => {
        const { id, chat, label, command, status, exitCode, startedAt, endedAt } = job;
        return {
          ...{ id, chat, label, command, status, startedAt },
          ...(exitCode === null ? {} : { exitCode }),
          ...(endedAt === undefined ? {} : { endedAt }),
          ...(takesInput(job) ? { takesInput: true } : {}),
        };
      }),
    /** The stored output; a reader in the console takes nothing from what the agent will read. */
    'jobs/read': (params) => {
      const found = jobs.read(readParams(z.object({ id: name }), params).id);
      if (!found) throw new RpcError(rpcCodes.invalidParams, 'This job no longer exists.');
      return { text: found.lines.map(({ text }) => text).join('\n') };
    },
    'jobs/write': async (params, _, by) => {
      const { id, text } = readParams(written, params);
      const job = jobs.read(id)?.job;
      if (!job || !takesInput(job)) return false;
      const refused = await recordWriter(host, { job, text, by });
      if (refused) throw new RpcError(rpcCodes.invalidParams, refused.message);
      return jobs.write(id, text, writerName(by));
    },
    'jobs/kill': (params) => jobs.kill(readParams(z.object({ id: name }), params).id),
  };
}

interface Writing {
  readonly job: Job;
  readonly text: string | null;
  readonly by: Origin;
}

/** The log says who wrote before the program reads it. */
async function recordWriter(host: Host, { job, text, by }: Writing): Promise<Rejection | undefined> {
  const { id, session: place, chat, tool } = job;
  const session = await host.open(place);
  if (isRejection(session)) return session;
  const fact = {
    kind: 'job.written',
    ...{ chat, job: id, tool, characters: text?.length ?? 0 },
    ...(text === null ? { ended: true as const } : {}),
  } as const;
  const refused = session.dispatch({ kind: 'record', fact }, by);
  if (!refused) await session.settled();
  return refused;
}

function writerName(by: Origin): string {
  if (by.kind !== 'client') return 'Parley';
  const client = by.name ?? by.client;
  const device = deviceBeside(by);
  return device === undefined ? client : `${client} on ${device}`;
}
