// Runs the services of deploy/compose.yaml as processes: commands, variables, volumes and checks come from
// the files. Each service has a loopback address instead of a name, and a temporary folder for each volume.
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';

export const deployFolder = join(import.meta.dirname, '..', '..', 'deploy');
const root = dirname(deployFolder);

export interface Service {
  readonly command?: readonly string[];
  readonly hostname?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test: readonly [string, string] };
}

/** The services, with the values of variables such as `${NAME:?what is missing}`. */
export function composeServices(values: Readonly<Record<string, string>>): Readonly<Record<string, Service>> {
  const text = readFileSync(join(deployFolder, 'compose.yaml'), 'utf8').replaceAll(
    /\$\{(\w+):\?([^}]*)\}/g,
    (_, name: string, missing: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`${name} is not set: ${missing}`);
      return value;
    },
  );
  const { services } = parse(text, { merge: true }) as { services: Readonly<Record<string, Service>> };
  return services;
}

/** What the image adds to the command of a service. */
function imageOf(): {
  readonly entry: readonly string[];
  readonly env: Readonly<Record<string, string>>;
} {
  const text = readFileSync(join(deployFolder, 'Dockerfile'), 'utf8');
  const entry = JSON.parse(/^ENTRYPOINT (\[.*\])$/m.exec(text)?.[1] ?? '[]') as readonly string[];
  const env = Object.fromEntries(
    [...text.matchAll(/^ENV (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
  return { entry, env };
}

/** Where the places and names of the containers are on this machine. */
export class Places {
  readonly #folder: string;
  readonly #addresses: Readonly<Record<string, string>>;

  constructor(folder: string, addresses: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.#addresses = addresses;
  }

  address(name: string): string {
    return this.#addresses[name] ?? name;
  }

  /** The folder of a volume, named or beside the file. */
  volume(name: string): string {
    const place = join(this.#folder, 'volumes', name);
    mkdirSync(place, { recursive: true });
    return place;
  }

  /** Replaces paths in volumes, and the names of other services where they are addresses. */
  translate(text: string, { volumes = [] }: Pick<Service, 'volumes'>): string {
    let result = text;
    for (const volume of volumes) {
      const [from = '', to = ''] = volume.split(':');
      if (result === to || result.startsWith(`${to}/`))
        result = `${this.volume(from)}${result.slice(to.length)}`;
    }
    for (const [name, address] of Object.entries(this.#addresses))
      result = result.replaceAll(new RegExp(`(?<=@|\\s)${name}(?=[:/])`, 'g'), address);
    return result;
  }
}

export interface Started {
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  said(): string;
}

/** Starts a host as its container would. `name` is its service or pod. */
export function startHost(
  name: string,
  service: Service,
  { places, env }: { readonly places: Places; readonly env: NodeJS.ProcessEnv },
): Started {
  const image = imageOf();
  const own = Object.entries({ ...image.env, ...service.environment });
  const words = (service.command ?? []).map((word) =>
    word === '0.0.0.0' ? places.address(name) : places.translate(word, service),
  );
  const [, ...entry] = image.entry;
  return started(process.execPath, [...entry, ...words], {
    ...env,
    ...Object.fromEntries(own.map(([key, value]) => [key, places.translate(value, service)])),
  });
}

export function started(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Started {
  const child = spawn(program, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (text = `${text}${part}`.slice(-10_000)));
  const exited = once(child, 'exit').then(([code]: (number | null)[]) => code ?? null);
  return { child, exited, said: () => text };
}

/** The check of a service, as `CMD-SHELL` gives it to a shell. */
export function isHealthy({ healthcheck }: Service, env: NodeJS.ProcessEnv): boolean {
  const [kind, command] = healthcheck?.test ?? ['', ''];
  if (kind !== 'CMD-SHELL') throw new Error(`Unknown kind of check: ${kind}`);
  return spawnSync('sh', ['-c', command], { env }).status === 0;
}
