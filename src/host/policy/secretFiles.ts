// Files that usually hold secrets. Reading one needs approval, also inside the workspace, because what an
// agent reads goes to a model.
import { below } from '../../base/paths.ts';

/** The path is absolute with links resolved. Inside a workspace, only the part below its root counts. */
export function isSecretFile(path: string, roots: readonly string[]): boolean {
  const inside = roots.flatMap((root) => below(root, path) ?? []).toSorted((a, b) => b.length - a.length)[0];
  const names = (inside ?? path).toLowerCase().split(/[/\\]/);
  const name = names.at(-1) ?? '';
  const whole = `/${names.join('/')}`;
  if (examples.test(name)) return false;
  return (
    files.has(name) || nameForms.some((form) => form.test(name)) || places.some((form) => form.test(whole))
  );
}

/** Templates and public halves of keys are made to be read. */
const examples = /(?:[._-](?:example|sample|template|dist|defaults?)|\.pub)$/;

const files: ReadonlySet<string> = new Set([
  '.env',
  '.envrc',
  '.netrc',
  '_netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.htpasswd',
  '.git-credentials',
  '.dockercfg',
  '.vault-token',
  '.boto',
  '.s3cfg',
  'credentials.json',
  'application_default_credentials.json',
  'credentials.tfrc.json',
  'secrets.json',
  'secrets.yml',
  'secrets.yaml',
  'secrets.toml',
  'master.key',
]);

const nameForms: readonly RegExp[] = [
  /^\.env\./,
  // Not every name with this ending is a file: `process.env` is an expression.
  /^(?:prod|production|dev|development|local|test|testing|stag(?:e|ing)|docker|secrets?|db|database)\.env$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/,
  /\.(?:pem|key|p8|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|tfstate|ovpn)$/,
  /^(?:client[_-]?secret|service[_-]?account)[^/]*\.json$/,
];

const places: readonly RegExp[] = [
  /\/\.(?:ssh|gnupg|aws|azure|kube)\//,
  /\/\.config\/(?:gcloud|gh|glab-cli|op|doctl)\//,
  /\/\.docker\/config\.json$/,
  /\/\.(?:cargo|gem)\/credentials(?:\.toml)?$/,
];
