// The settings files of a workspace folder: Parley's own and that of ECA. Until the user trusts exactly this
// content, it can only restrict.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { memoPerObject } from '../../base/memo.ts';
import type { SettingsProblem, UndecidedFolder } from '../../host/settings/settings.ts';
import { variableFiles } from '../processes/variableFiles.ts';
import { asConfig, loadEcaFile, mergeConfig } from '../ecaConfig/file.ts';
import type { EcaConfig, EcaFile } from '../ecaConfig/file.ts';
import { interpolate } from '../ecaConfig/interpolate.ts';
import { clientSettings, mapEcaConfig } from '../ecaConfig/map.ts';
import { ineffectiveOptions } from '../ecaConfig/mapTools.ts';
import { pluginConfig, pluginsIn } from '../ecaConfig/plugins.ts';
import type { PluginSet } from '../ecaConfig/plugins.ts';
import { ecaFolderFile, pluginCache } from '../ecaConfig/read.ts';
import { hardExpressions } from './hardExpressions.ts';
import { loadFile } from './load.ts';
import type { LoadedSettings } from './load.ts';
import type { Layer } from './merge.ts';
import { scriptsIn } from './scripts.ts';
import type { Scripts } from './scripts.ts';
import { isSection, strictSections, userSections } from '../../host/settings/schema/sections.ts';
import type { SectionName, WrittenSettings } from '../../host/settings/schema/sections.ts';
import { folderSummary } from './folderSummary.ts';
import { withoutSettings } from './trust.ts';
import type { TrustStore } from './trust.ts';

export interface SettingsFolder {
  readonly root: string;
  readonly ours: LoadedSettings;
  readonly eca: EcaFile;
  /** The hash of all settings files and scripts; undefined if there are none. */
  readonly hash: string | undefined;
  /** The files of the folder that the settings run. */
  readonly scripts: Scripts;
  /** Files and folders with texts for agents. */
  readonly texts: readonly string[];
}

/** The settings file that a folder brings along. */
export function folderFile(folder: string): string {
  return join(folder, '.parley', 'config.jsonc');
}

export function loadFolder(root: string, last?: SettingsFolder): SettingsFolder {
  const ours = loadFile(folderFile(root), { last: last?.ours, inside: root });
  const eca = loadEcaFile(ecaFolderFile(root), { last: last?.eca, inside: root });
  const scripts = scriptsIn(root, [{ ...ours.values }, eca.config]);
  return {
    root,
    ours,
    eca,
    scripts,
    hash: hashOf([ours.hash, eca.hash, ...scripts.found.map(({ path, hash }) => `${path} ${hash}`)]),
    texts: textsOf(root),
  };
}

/** The places where a folder has texts for agents. */
function textsOf(root: string): readonly string[] {
  const kinds = ['rules', 'skills', 'commands', 'agents'];
  const places = [
    'AGENTS.md',
    'CLAUDE.md',
    ...['.parley', '.eca'].flatMap((name) => kinds.map((kind) => `${name}/${kind}`)),
    '.agents/skills',
  ];
  return places.filter((place) => existsSync(join(root, place)));
}

export interface TrustChecks {
  readonly trust: TrustStore;
  readonly env: { readonly [name: string]: string | undefined };
}

export interface FolderLayers {
  readonly eca: Layer;
  /** Wins over the ECA file. */
  readonly ours: Layer;
}

/** The settings of the folder that count: all of them if it is trusted, else only restrictions. */
export function folderLayers(folder: SettingsFolder, judges: TrustChecks): FolderLayers {
  const trusted = isTrusted(folder, judges.trust);
  const counts = (values: WrittenSettings) => (trusted ? without(values, userSections) : strictly(values));
  return {
    eca: { source: folder.eca.file, values: counts(mapped(folder, judges)) },
    ours: { source: folder.ours.file, values: counts(folder.ours.values) },
  };
}

export function folderProblems(folder: SettingsFolder, judges: TrustChecks): readonly SettingsProblem[] {
  const { root, ours, eca } = folder;
  const files = filesOf(folder, judges);
  const ignored = ignoredIn(filledIn(folder, judges), ineffectiveOptions);
  const problems: readonly SettingsProblem[] = [
    ...(isTrusted(folder, judges.trust) ? [] : files.flatMap((each) => tooManyRules(each, root))),
    ...files.flatMap(({ file, values }) => hardExpressions(values, file)),
    ...ours.problems,
    ...eca.problems,
    ...ignored.map((message) => invalid(eca.file, `${eca.file}: ${message}`)),
    ...files.flatMap(misplacedSections),
    ...(isTrusted(folder, judges.trust)
      ? []
      : [
          ...waitingSections(ours.file, waitingNames(ours.values), { folder, judges }),
          ...waitingSections(eca.file, waitingOptions(eca.config), { folder, judges }),
        ]),
    ...markedTexts(folder, judges.trust),
  ];
  return problems.map((problem) => ({ ...problem, folder: root }));
}

/** What a folder brings, if it is not decided and trust would enable some of it. */
export function undecidedFolder(folder: SettingsFolder, judges: TrustChecks): UndecidedFolder | undefined {
  const { root, hash, texts, ours, eca } = folder;
  const said = judges.trust.said(root);
  if (said === 'refused' || isTrusted(folder, judges.trust)) return undefined;
  const variables = variableFiles(root);
  const isAsked = waitsForTrust(folder, judges) || (texts.length > 0 && said !== 'trusted');
  const isReadable = hash !== undefined || ours.problems.length + eca.problems.length === 0;
  if (!isAsked && (said === 'trusted' || variables.length === 0 || !isReadable)) return undefined;
  const digest = hash ?? withoutSettings;
  return {
    folder: root,
    digest,
    changed: said === 'trusted',
    declined: judges.trust.isDeclined(root, digest),
    isAsked,
    lines: folderSummary(folder, variables),
  };
}

/** Whether the user refused a folder, or did not decide about something in it that calls for trust. */
export function isUntrusted(folder: SettingsFolder, judges: TrustChecks): boolean {
  const { root, hash, texts, ours, eca } = folder;
  if (isTrusted(folder, judges.trust)) return false;
  const said = judges.trust.said(root);
  if (said === 'refused' || waitsForTrust(folder, judges)) return true;
  // What cannot be read might say anything; what has no hash cannot be trusted by it.
  const isUnclear = ours.problems.length + eca.problems.length > 0;
  return said === 'trusted' ? isUnclear && hash !== undefined : isUnclear || texts.length > 0;
}

/** Whether settings of the folder have no effect before it is trusted. */
function waitsForTrust(folder: SettingsFolder, judges: TrustChecks): boolean {
  return (
    waitingNames(folder.ours.values).length > 0 ||
    waitingOptions(folder.eca.config).length > 0 ||
    filesOf(folder, judges).some(({ values }) => saysTooMuch(values))
  );
}

function filesOf(folder: SettingsFolder, judges: TrustChecks): readonly FolderSettings[] {
  const { ours, eca } = folder;
  return [
    { file: ours.file, values: ours.values },
    { file: eca.file, values: mapped(folder, judges) },
  ];
}

interface FolderSettings {
  readonly file: string;
  readonly values: WrittenSettings;
}

function invalid(file: string, message: string): SettingsProblem {
  return { file, kind: 'invalid', message };
}

function tooManyRules({ file, values }: FolderSettings, root: string): readonly SettingsProblem[] {
  if (!saysTooMuch(values)) return [];
  const message =
    `${file} has more than ${mostStrict} rules and is not trusted, so you are asked about every call. ` +
    `Read it, then run parley trust ${root}`;
  return [invalid(file, message)];
}

function misplacedSections({ file, values }: FolderSettings): readonly SettingsProblem[] {
  return names(values)
    .filter((name) => userSections.has(name))
    .map((name) =>
      invalid(file, `${file}: ${name} can only be set in your own settings and has no effect here.`),
    );
}

/** Names the sections of an untrusted file that would do more than forbid, as the file names them. */
function waitingSections(
  file: string,
  sections: readonly string[],
  { folder, judges }: { readonly folder: SettingsFolder; readonly judges: TrustChecks },
): readonly SettingsProblem[] {
  if (sections.length === 0) return [];
  const message =
    `${file} ${untrustedReason(folder, judges.trust)}, so it has no effect on ${sections.join(', ')}. Send ` +
    `/trust to see what it says and to trust it, or run parley trust ${folder.root}`;
  return [{ file, kind: 'untrusted', message }];
}

const waitingIn = memoPerObject<EcaConfig, readonly string[]>();

/** The options of an ECA file that wait for trust: for sessions, or for its editor. */
function waitingOptions(config: EcaConfig): readonly string[] {
  return waitingIn(config, () =>
    Object.keys(config).filter((name) => {
      const option = { [name]: config[name] };
      const { trust: _, ...forEditor } = clientSettings(option);
      return (
        name === 'plugins' ||
        waitingNames(mapEcaConfig(option)).length > 0 ||
        Object.keys(forEditor).length > 0
      );
    }),
  );
}

function waitingNames(values: WrittenSettings): readonly SectionName[] {
  return names(values).filter((name) =>
    name === 'approvals'
      ? (values.approvals?.allow ?? []).length > 0
      : !strictSections.has(name) && !userSections.has(name),
  );
}

function untrustedReason({ root, scripts }: SettingsFolder, trust: TrustStore): string {
  if (trust.said(root) !== 'trusted') return 'is not trusted';
  const named =
    scripts.found.length === 0
      ? ''
      : ` or a script that it names (${scripts.found.map(({ path }) => path).join(', ')})`;
  return `${named === '' ? '' : `itself${named} `}has changed since you trusted it`;
}

/** The notice stays, in every client and list of problems, until the user decides. */
function markedTexts({ root, texts }: SettingsFolder, trust: TrustStore): readonly SettingsProblem[] {
  if (texts.length === 0 || trust.said(root) !== undefined) return [];
  const message =
    `${root} is not trusted, so models are told not to trust ${texts.join(', ')}. To trust the folder, ` +
    `read them and send /trust, or run parley trust ${root}; parley untrust ends this notice.`;
  return [{ file: join(root, texts[0] ?? ''), kind: 'untrusted', message }];
}

function isTrusted({ root, hash }: SettingsFolder, trust: TrustStore): boolean {
  return hash !== undefined && trust.isTrusted(root, hash);
}

/** One file has its own hash, so that what was trusted before there was a second one stays so. */
function hashOf(hashes: readonly (string | undefined)[]): string | undefined {
  const there = hashes.filter((hash) => hash !== undefined);
  return there.length < 2 ? there[0] : createHash('sha256').update(there.join('\n')).digest('hex');
}

/** Files and commands that texts stand for are read and run only for who is trusted. */
function mapped(folder: SettingsFolder, judges: TrustChecks): WrittenSettings {
  const config = filledIn(folder, judges);
  // The requested sections are read so that the user can see what trust would change.
  if (!isTrusted(folder, judges.trust))
    return { ...settingsIn(config), ...(config['plugins'] === undefined ? {} : { plugins: [] }) };
  const { installed } = folderPlugins(folder, judges);
  if (installed.length === 0) return settingsIn(config);
  const brought = installed.map((plugin) => pluginConfig(plugin, judges.env)).reduce(mergeConfig, {});
  return {
    ...mapEcaConfig(mergeConfig(brought, config)),
    plugins: installed.map(({ name, folder: path }) => ({ name, path })),
  };
}

/** Every turn asks for the settings of its folders, and to translate those of ECA takes milliseconds. */
const translated = memoPerObject<EcaConfig, WrittenSettings>();
const ignoredIn = memoPerObject<EcaConfig, readonly string[]>();

function settingsIn(config: EcaConfig): WrittenSettings {
  return translated(config, mapEcaConfig);
}

/** The ECA file of a folder; empty before it is trusted. */
export function trustedEcaConfig(folder: SettingsFolder, judges: TrustChecks): EcaConfig {
  return isTrusted(folder, judges.trust) ? filledIn(folder, judges) : {};
}

/** The plugins that a folder names; none before it is trusted. */
export function folderPlugins(folder: SettingsFolder, judges: TrustChecks): PluginSet {
  const { env } = judges;
  return pluginsIn(trustedEcaConfig(folder, judges), { env, file: folder.eca.file, cache: pluginCache(env) });
}

/** Untrusted rules are not expanded: a denial shows its rule, which would reveal the environment. */
function filledIn(folder: SettingsFolder, { trust, env }: TrustChecks): EcaConfig {
  const { config, file } = folder.eca;
  if (!isTrusted(folder, trust) || Object.keys(config).length === 0) return config;
  return asConfig(interpolate(config, { env, file, own: true }));
}

/** Each rule costs time with every call; an untrusted folder must not slow down all calls. */
const mostStrict = 200;

function saysTooMuch({ approvals, disabledTools = [] }: WrittenSettings): boolean {
  const { ask = [], deny = [] } = approvals ?? {};
  const parts = [...ask, ...deny].flatMap((rule) =>
    typeof rule === 'string' ? [rule] : [rule, ...(rule.paths ?? []), ...Object.keys(rule.args ?? {})],
  );
  return parts.length + disabledTools.length > mostStrict;
}

function strictly(values: WrittenSettings): WrittenSettings {
  // What cannot be heeded in every point is heeded by asking each time.
  if (saysTooMuch(values)) return { approvals: { ask: ['*'] } };
  const { approvals, disabledTools } = values;
  const { ask = [], deny = [] } = approvals ?? {};
  return { ...(approvals ? { approvals: { ask, deny } } : {}), ...(disabledTools ? { disabledTools } : {}) };
}

function names(values: WrittenSettings): readonly SectionName[] {
  return Object.keys(values).filter(isSection);
}

function without(values: WrittenSettings, left: ReadonlySet<SectionName>): WrittenSettings {
  return Object.fromEntries(Object.entries(values).filter(([name]) => isSection(name) && !left.has(name)));
}
