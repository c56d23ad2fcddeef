// Reads the shared AWS files: profiles with keys, roles, regions and SSO sessions.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export type AwsEnvironment = { readonly [name: string]: string | undefined };
export type Section = { readonly [key: string]: string };

export interface SharedFiles {
  readonly profiles: { readonly [name: string]: Section };
  readonly sessions: { readonly [name: string]: Section };
}

/** Missing files are empty. The credentials file overrides the configuration file. */
export function sharedFiles(env: AwsEnvironment): SharedFiles {
  const config = sectionsIn(read(env['AWS_CONFIG_FILE'] || join(awsFolder(env), 'config')));
  const credentials = sectionsIn(
    read(env['AWS_SHARED_CREDENTIALS_FILE'] || join(awsFolder(env), 'credentials')),
  );
  const profiles = new Map(credentials);
  const sessions = new Map<string, Section>();
  for (const [title, section] of config) {
    const [, kind, name] =
      /^(profile|sso-session)\s+(.+)$/.exec(title) ?? (title === 'default' ? [title, 'profile', title] : []);
    if (name === undefined) continue;
    if (kind === 'profile') profiles.set(name, { ...section, ...profiles.get(name) });
    else sessions.set(name, section);
  }
  return { profiles: Object.fromEntries(profiles), sessions: Object.fromEntries(sessions) };
}

export function profileName(env: AwsEnvironment): string {
  return env['AWS_PROFILE'] || env['AWS_DEFAULT_PROFILE'] || 'default';
}

/** The environment, with region and keys from the shared files if the user has enabled them. */
export function withProfile(env: AwsEnvironment, wanted: () => boolean): AwsEnvironment {
  const named = env['AWS_PROFILE'] || env['AWS_DEFAULT_PROFILE'];
  if (!named && !wanted()) return env;
  const profile = sharedFiles(env).profiles[profileName(env)];
  const region = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || profile?.['region'];
  return {
    ...env,
    ...(named || profile ? { AWS_PROFILE: profileName(env) } : {}),
    ...(region ? { AWS_REGION: region } : {}),
  };
}

export function awsFolder(env: AwsEnvironment): string {
  return join(env['HOME'] || env['USERPROFILE'] || homedir(), '.aws');
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Indented lines are nested values, which are not needed here. */
function sectionsIn(text: string): Map<string, Section> {
  const sections = new Map<string, { [key: string]: string }>();
  let current: { [key: string]: string } | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [, title] = /^\s*\[\s*([^\]]+?)\s*\]/.exec(line) ?? [];
    if (title !== undefined) {
      const name = title.replaceAll(/["']/g, '');
      current = sections.get(name) ?? {};
      sections.set(name, current);
      continue;
    }
    const [, key, value] = /^([\w-]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (current && key !== undefined && value !== undefined && !line.startsWith('#') && !line.startsWith(';'))
      current[key.toLowerCase()] = value.replace(/\s[#;].*$/, '').trim();
  }
  return sections;
}
