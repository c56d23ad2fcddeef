// Finds AWS credentials: in the environment, a shared profile, a credential process, an SSO sign-in, a
// role or the container.
import { exec } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { childEnvironment } from '../../processes/environment.ts';
import { NoCredentials, textAt } from './answers.ts';
import { assumedRole, roleByToken } from './roles.ts';
import { profileName, sharedFiles } from './sharedFiles.ts';
import type { AwsEnvironment, Section, SharedFiles } from './sharedFiles.ts';
import { signInCredentials } from './signedIn.ts';

export interface Credentials {
  readonly id: string;
  readonly secret: string;
  readonly session?: string | undefined;
  /** In milliseconds since 1970; absent for permanent keys. */
  readonly expires?: number | undefined;
}

export interface CredentialOptions {
  readonly env: AwsEnvironment;
  readonly fetch: typeof fetch;
  readonly now: () => number;
}

/** Credentials are renewed this many milliseconds before they expire. */
const early = 300_000;

/** Caches credentials until they expire. Throws NoCredentials with a message for users. */
export function awsCredentials(options: CredentialOptions): () => Promise<Credentials> {
  let last: Credentials | undefined;
  let asking: Promise<Credentials> | undefined;
  return () => {
    if (last?.expires !== undefined && last.expires - early > options.now()) return Promise.resolve(last);
    // Callers share one request.
    asking ??= found(options)
      .then((credentials) => (last = credentials))
      .finally(() => (asking = undefined));
    return asking;
  };
}

async function found(options: CredentialOptions): Promise<Credentials> {
  const { env } = options;
  const own = keysIn({
    aws_access_key_id: env['AWS_ACCESS_KEY_ID'],
    aws_secret_access_key: env['AWS_SECRET_ACCESS_KEY'],
    aws_session_token: env['AWS_SESSION_TOKEN'],
  });
  // An explicitly named profile comes first.
  if (own && !env['AWS_PROFILE']) return own;
  const files = sharedFiles(env);
  const name = profileName(env);
  if (files.profiles[name]) return ofProfile(name, { ...options, files, seen: [] });
  if (env['AWS_PROFILE']) throw new NoCredentials(`there is no AWS profile named ${name}`);
  if (env['AWS_WEB_IDENTITY_TOKEN_FILE'] && env['AWS_ROLE_ARN'])
    return roleByToken(
      {
        file: env['AWS_WEB_IDENTITY_TOKEN_FILE'],
        role: env['AWS_ROLE_ARN'],
        name: env['AWS_ROLE_SESSION_NAME'],
      },
      options,
    );
  return ofContainer(options);
}

interface Profiles extends CredentialOptions {
  readonly files: SharedFiles;
  /** The profiles on the way here, to detect cycles. */
  readonly seen: readonly string[];
}

async function ofProfile(name: string, options: Profiles): Promise<Credentials> {
  const { files, seen, env } = options;
  const profile = files.profiles[name];
  if (!profile) throw new NoCredentials(`there is no AWS profile named ${name}`);
  if (seen.includes(name)) throw new NoCredentials(`the AWS profile ${name} refers to itself`);
  const assumed = await ofRole(name, profile, options);
  if (assumed) return assumed;
  const keys = keysIn(profile);
  if (keys) return keys;
  if (profile['sso_session'] !== undefined || profile['sso_start_url'] !== undefined)
    return signInCredentials(name, profile, { ...options, sessions: files.sessions });
  const { credential_process: program } = profile;
  if (program !== undefined) return ofProgram(program, name, env);
  throw new NoCredentials(`the AWS profile ${name} has no keys, no SSO sign-in and no credential process`);
}

/** `undefined` where the profile names no role, or no credentials to assume it with. */
async function ofRole(name: string, profile: Section, options: Profiles): Promise<Credentials | undefined> {
  const {
    role_arn: role,
    source_profile: source,
    credential_source: provider,
    web_identity_token_file: token,
  } = profile;
  if (role === undefined) return undefined;
  const { env } = options;
  const region = profile['region'] ?? env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'] ?? 'us-east-1';
  if (token !== undefined)
    return roleByToken({ file: token, role, name: profile['role_session_name'] }, { ...options, region });
  if (source === undefined && provider === undefined) return undefined;
  const credentials =
    source === undefined
      ? await ofCredentialSource(provider ?? '', options)
      : await ofSourceProfile(source, { name, profile }, options);
  const session = { name: profile['role_session_name'], externalId: profile['external_id'], region };
  return assumedRole({ role, ...session }, credentials, options);
}

/** A profile may be its own source: its keys assume its role. */
function ofSourceProfile(
  source: string,
  { name, profile }: { readonly name: string; readonly profile: Section },
  options: Profiles,
): Promise<Credentials> {
  if (source === name) return ofKeys(name, profile);
  return ofProfile(source, { ...options, seen: [...options.seen, name] });
}

async function ofKeys(name: string, profile: Section): Promise<Credentials> {
  const keys = keysIn(profile);
  if (!keys) throw new NoCredentials(`the AWS profile ${name} refers to itself`);
  return keys;
}

function ofCredentialSource(source: string, options: CredentialOptions): Promise<Credentials> {
  const { AWS_PROFILE: _, ...env } = options.env;
  if (source === 'Environment')
    return found({
      ...options,
      env: { ...env, AWS_CONFIG_FILE: '/dev/null', AWS_SHARED_CREDENTIALS_FILE: '/dev/null' },
    });
  if (source === 'EcsContainer') return ofContainer(options);
  throw new NoCredentials(`the credential source ${source} is not supported`);
}

function keysIn({
  aws_access_key_id: id,
  aws_secret_access_key: secret,
  aws_session_token: session,
}: {
  readonly [key: string]: string | undefined;
}): Credentials | undefined {
  return id && secret ? { id, secret, session: session || undefined } : undefined;
}

/** How long the credential process may take, in milliseconds. */
const programPatience = 60_000;

/** Runs the command from the user's own file in the same way as the AWS tools. */
async function ofProgram(command: string, profile: string, env: AwsEnvironment): Promise<Credentials> {
  try {
    const { stdout } = await promisify(exec)(command, {
      timeout: programPatience,
      maxBuffer: 1_000_000,
      env: childEnvironment(env, awsIn(env)),
    });
    return ofAnswer(JSON.parse(stdout), {
      id: 'AccessKeyId',
      secret: 'SecretAccessKey',
      session: 'SessionToken',
      expires: 'Expiration',
    });
  } catch (error) {
    if (error instanceof NoCredentials) throw error;
    throw new NoCredentials(`the credential process of the AWS profile ${profile} returned no keys`);
  }
}

/** Additional variables for the credential process. */
function awsIn(env: AwsEnvironment): AwsEnvironment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('AWS_')));
}

/** Local addresses; the token must not go unencrypted to any other. */
const inside =
  /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|169\.254\.170\.2|169\.254\.170\.23|\[fd00:ec2::23\])$/;

async function ofContainer({ env, fetch }: CredentialOptions): Promise<Credentials> {
  const {
    AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: path,
    AWS_CONTAINER_CREDENTIALS_FULL_URI: full,
    AWS_CONTAINER_AUTHORIZATION_TOKEN: word,
    AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file,
  } = env;
  const address = path ? `http://169.254.170.2${path}` : full;
  if (!address)
    throw new NoCredentials(
      'there are no AWS keys: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE',
    );
  if (
    !URL.canParse(address) ||
    (new URL(address).protocol !== 'https:' && !inside.test(new URL(address).hostname))
  )
    throw new NoCredentials('AWS_CONTAINER_CREDENTIALS_FULL_URI is not an allowed address');
  const token = file ? readFileSync(file, 'utf8').trim() : word;
  const response = await fetch(address, {
    headers: token ? { authorization: token } : {},
    redirect: 'error',
    signal: AbortSignal.timeout(5_000),
  }).catch(() => undefined);
  if (!response?.ok) throw new NoCredentials('the container returned no AWS keys');
  return ofAnswer(await response.json(), {
    id: 'AccessKeyId',
    secret: 'SecretAccessKey',
    session: 'Token',
    expires: 'Expiration',
  });
}

function ofAnswer(answer: unknown, names: { readonly [K in keyof Credentials]-?: string }): Credentials {
  const [id, secret, session, ends] = [
    textAt(answer, names.id),
    textAt(answer, names.secret),
    textAt(answer, names.session),
    textAt(answer, names.expires),
  ];
  if (id === undefined || secret === undefined) throw new NoCredentials('the AWS keys are not valid');
  return { id, secret, session, expires: ends === undefined ? undefined : Date.parse(ends) || undefined };
}
