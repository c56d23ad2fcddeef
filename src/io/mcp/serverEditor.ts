// Adds, changes and removes MCP servers in the settings file they belong to. Comments stay; secrets
// go to the secret store.
import { errorText } from '../../base/errorText.ts';
import { isRecord } from '../../base/isRecord.ts';
import { contains } from '../../base/paths.ts';
import type { NotPossible } from '../../host/ports.ts';
import type { SettingsTarget, ServerEditor, ServerWish } from '../../host/tools/toolServers.ts';
import { canonical } from '../files/canonical.ts';
import {
  readConfig,
  removeConfig,
  valueAt,
  withValue,
  writeConfig,
  writeProjectConfig,
} from '../settings/editConfigFile.ts';
import type { Secrets } from '../auth/secrets.ts';
import { sectionProblem } from '../settings/load.ts';
import { ecaFolderFile } from '../ecaConfig/read.ts';
import { loadFolder } from '../settings/folder.ts';
import { settingsFiles } from '../settings/open.ts';
import type { OpenSettings } from '../settings/open.ts';
import { isSecretName, isReference } from '../../host/settings/schema/values.ts';
import { trustStore } from '../settings/trust.ts';
import type { Environment } from './serverPlans.ts';

export interface EditorOptions {
  readonly env: Environment;
  readonly settings: Pick<OpenSettings, 'of' | 'sourced' | 'reload'>;
  readonly secrets: Secrets;
}

type ServerEntry = { readonly [field: string]: unknown };

export function serverEditor(options: EditorOptions): ServerEditor {
  const { settings } = options;
  return {
    add(name, wish, place) {
      if (name.trim() === '') return { refused: 'A server needs a name.' };
      if (Object.hasOwn(settings.of(place.roots).mcpServers, name))
        return { refused: `MCP server '${name}' already exists` };
      if ((wish.command === undefined) === (wish.url === undefined))
        return { refused: `MCP server '${name}' needs either a command or a url` };
      return write(name, { file: fileFor(place, options), value: fieldsOf(name, wish, options) }, options);
    },
    update(name, wish, place) {
      const file = ownerOf(name, place, options);
      if (typeof file !== 'string') return file;
      const before = valueAt(readConfig(file), ['mcpServers', name], file);
      const kept = isRecord(before) ? remainingFields(before, wish) : {};
      return write(name, { file, value: { ...kept, ...fieldsOf(name, wish, options) } }, options);
    },
    remove(name, place) {
      const file = ownerOf(name, place, options);
      if (typeof file !== 'string') return file;
      const refused = write(name, { file, value: undefined }, options);
      if (!refused)
        for (const secret of options.secrets.names())
          if (secret.startsWith(secretOf(name, ''))) options.secrets.delete(secret);
      return refused;
    },
  };
}

/** The servers of a folder are in the file that ECA reads, so that other people's editors find them too. */
function fileFor({ root }: SettingsTarget, { env }: EditorOptions): string {
  return root === undefined ? settingsFiles(env).user : ecaFolderFile(canonical(root));
}

/** The file that defines the server's command or URL. */
function ownerOf(name: string, { roots }: SettingsTarget, { settings }: EditorOptions): string | NotPossible {
  const found = settings
    .sourced(roots)
    .find(({ key }) => key === `mcpServers.${name}.command` || key === `mcpServers.${name}.url`);
  return found?.source ?? { refused: `MCP server '${name}' does not exist` };
}

/** The fields that stay: a local server that becomes a remote one loses its command, and the reverse. */
function remainingFields(before: ServerEntry, wish: ServerWish): ServerEntry {
  const dropped = droppedFields(wish);
  return Object.fromEntries(Object.entries(before).filter(([field]) => !dropped.includes(field)));
}

function droppedFields({ url, command }: ServerWish): readonly string[] {
  if (url !== undefined) return ['command', 'args', 'env'];
  if (command === undefined) return [];
  return ['url', 'headers', 'clientId', 'clientSecret', 'clientName', 'callbackPort', 'scope'];
}

function fieldsOf(
  name: string,
  { env, headers, clientSecret, ...plain }: ServerWish,
  { secrets }: EditorOptions,
): ServerEntry {
  const hidden = (values: { readonly [key: string]: string }) =>
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => {
        if (!mayBeSecret(key) || isReference(value)) return [key, value];
        return [key, hide(name, key, { value, secrets })];
      }),
    );
  return Object.fromEntries(
    Object.entries({
      ...plain,
      ...(env ? { env: hidden(env) } : {}),
      ...(headers ? { headers: hidden(headers) } : {}),
      ...(clientSecret === undefined
        ? {}
        : {
            clientSecret: isReference(clientSecret)
              ? clientSecret
              : hide(name, 'clientSecret', { value: clientSecret, secrets }),
          }),
    }).filter(([, value]) => value !== undefined),
  );
}

/** More names than settings files must not have: here nobody is refused, the value only lies elsewhere. */
function mayBeSecret(key: string): boolean {
  return isSecretName(key) || /passw|passphrase|credential|(?:^|[_-])(?:auth|key|pass|pat|pwd)$/i.test(key);
}

function hide(
  server: string,
  key: string,
  { value, secrets }: { readonly value: string; readonly secrets: Secrets },
): string {
  secrets.set(secretOf(server, key), value);
  return `\${${secretOf(server, key)}}`;
}

/** Settings can only refer to secrets with this prefix, not to provider keys. */
function secretOf(server: string, key: string): string {
  return `secret:mcp/${server.replaceAll(/[{}]/g, '_')}/${key}`;
}

/** A trusted folder stays trusted: the user is the one who changes its file here. */
function write(
  name: string,
  { file, value }: { readonly file: string; readonly value: ServerEntry | undefined },
  { env, settings }: EditorOptions,
): NotPossible | undefined {
  const { user, trust: trustFile } = settingsFiles(env);
  const trust = trustStore(trustFile);
  const folder = folderOf(file);
  const refused = folder === undefined ? undefined : whyNotChanged(file, folder, trust);
  if (refused !== undefined) return { refused };
  try {
    const ours = file === user || file.endsWith(ownEnding);
    const text = withValue(readConfig(file), ['mcpServers', name], {
      value: ours ? value : value && inEcaWords(value),
      file,
    });
    const problem = ours
      ? sectionProblem(file, 'mcpServers', valueAt(text, ['mcpServers'], file))
      : undefined;
    if (problem) return { refused: problem.message };
    if (folder === undefined) writeConfig(file, text, 'nothing');
    else writeFolderFile(file, text);
  } catch (error) {
    return { refused: errorText(error, `${file} cannot be written.`) };
  }
  const now = folder === undefined ? undefined : loadFolder(folder).hash;
  if (folder !== undefined && now !== undefined) trust.trust(folder, now);
  settings.reload();
  return undefined;
}

/** A file of a folder is changed only if the user trusts the folder and no link leads out of it. */
function whyNotChanged(
  file: string,
  folder: string,
  trust: ReturnType<typeof trustStore>,
): string | undefined {
  if (!contains(canonical(folder), canonical(file)))
    return `${file} leads outside its folder, so it is not changed.`;
  const { hash } = loadFolder(folder);
  return hash === undefined || trust.isTrusted(folder, hash)
    ? undefined
    : `${file} is not trusted. Read it, then run parley trust ${folder}`;
}

/** The folder whose settings file this is; `undefined` for other files. */
function folderOf(file: string): string | undefined {
  const ending = [ownEnding, ecaEnding].find((each) => file.endsWith(each));
  return ending === undefined ? undefined : file.slice(0, -ending.length);
}

const ownEnding = '/.parley/config.jsonc';
const ecaEnding = '/.eca/config.json';

/** A file of a project that became empty goes. */
function writeFolderFile(file: string, text: string): void {
  if (isEmptyConfig(text)) removeConfig(file);
  else writeProjectConfig(file, text);
}

/** Whether nothing is left of a file, not even a comment. */
function isEmptyConfig(text: string): boolean {
  return /^\s*\{\s*(?:"mcpServers"\s*:\s*\{\s*\}\s*,?\s*)?\}\s*$/.test(text);
}

/** The ECA configuration has other names for two fields. */
function inEcaWords({ scope, callbackPort, ...value }: ServerEntry): ServerEntry {
  return {
    ...value,
    ...(scope === undefined ? {} : { authScope: scope }),
    ...(callbackPort === undefined ? {} : { oauthPort: callbackPort }),
  };
}
