// What each system needs to start the host with the user's session: the file, and the commands that load and
// unload it. Pure.
import { join } from 'node:path';

export interface ServiceManager {
  readonly name: string;
  readonly file: string;
  readonly text: string;
  /** Loads the file, and starts the host now; without `now` it starts with the next session of the user. */
  readonly enable: (now: boolean) => readonly (readonly string[])[];
  readonly disable: readonly (readonly string[])[];
  /** Its exit code is 0 if the host runs as a service. */
  readonly status: readonly string[];
  /** What a user can type to start it. */
  readonly start: string;
}

export interface ServiceMachine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly uid: number;
  readonly env: { readonly [name: string]: string | undefined };
  /** The program of Node and the launcher, as absolute paths. */
  readonly program: readonly string[];
}

const unit = 'parley.service';
const label = 'parley.host';

/** The manager of this system; undefined if Parley knows none. */
export function serviceManager(machine: ServiceMachine): ServiceManager | undefined {
  if (machine.platform === 'linux') return systemd(machine);
  return machine.platform === 'darwin' ? launchd(machine) : undefined;
}

function systemd({ home, env, program }: ServiceMachine): ServiceManager {
  const config = env['XDG_CONFIG_HOME'];
  const base = config !== undefined && config.startsWith('/') ? config : join(home, '.config');
  const systemctl = ['systemctl', '--user'];
  const command = [...program, 'serve', '--no-open'].map(unitWord).join(' ');
  const variables = Object.entries(serviceEnvironment(env)).map(
    ([name, value]) => `Environment=${unitWord(`${name}=${value}`)}`,
  );
  return {
    name: 'systemd',
    file: join(base, 'systemd', 'user', unit),
    text: [
      '[Unit]',
      'Description=Parley, a host for coding-agent sessions',
      '',
      '[Service]',
      `ExecStart=${command.replaceAll('$', '$$$$')}`,
      ...variables,
      'Restart=on-failure',
      'RestartSec=5',
      '# Another host runs on the same data.',
      'RestartPreventExitStatus=3',
      'TimeoutStopSec=10',
      '',
      '[Install]',
      'WantedBy=default.target',
      '',
    ].join('\n'),
    enable: (now) => [
      [...systemctl, 'daemon-reload'],
      [...systemctl, 'enable', ...(now ? ['--now'] : []), unit],
    ],
    disable: [[...systemctl, 'disable', '--now', unit]],
    status: [...systemctl, 'is-active', '--quiet', unit],
    start: `systemctl --user start ${unit}`,
  };
}

function launchd({ home, uid, env, program }: ServiceMachine): ServiceManager {
  const file = join(home, 'Library', 'LaunchAgents', `${label}.plist`);
  const words = [...program, 'serve', '--no-open'].map((word) => `    <string>${xml(word)}</string>`);
  const variables = Object.entries(serviceEnvironment(env)).flatMap(([name, value]) => [
    `    <key>${xml(name)}</key>`,
    `    <string>${xml(value)}</string>`,
  ]);
  const domain = `gui/${uid}`;
  return {
    name: 'launchd',
    file,
    text: [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
      '<plist version="1.0">',
      '<dict>',
      '  <key>Label</key>',
      `  <string>${label}</string>`,
      '  <key>ProgramArguments</key>',
      '  <array>',
      ...words,
      '  </array>',
      '  <key>EnvironmentVariables</key>',
      '  <dict>',
      ...variables,
      '  </dict>',
      '  <key>RunAtLoad</key>',
      '  <true/>',
      '  <key>ProcessType</key>',
      '  <string>Interactive</string>',
      '</dict>',
      '</plist>',
      '',
    ].join('\n'),
    // A file in this folder is loaded with the next session by itself.
    enable: (now) => (now ? [['launchctl', 'bootstrap', domain, file]] : []),
    disable: [['launchctl', 'bootout', `${domain}/${label}`]],
    status: ['launchctl', 'print', `${domain}/${label}`],
    start: `launchctl bootstrap ${domain} ${file}`,
  };
}

/** Services do not have the variables of a shell: agents are found on its PATH, and sessions in its home. */
function serviceEnvironment(env: ServiceMachine['env']): { readonly [name: string]: string } {
  const names = ['PATH', 'PARLEY_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME'];
  return Object.fromEntries(
    names.flatMap((name): readonly [string, string][] => {
      const value = env[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

/** One word of a unit file: in quotes, with the characters that systemd would replace written twice. */
function unitWord(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll('%', '%%');
  return `"${escaped}"`;
}

function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
