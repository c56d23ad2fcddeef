// The settings as the rest of the program reads them. Their types follow from the schema in schema/;
// src/io/settings reads, checks and watches the files.
import type { Rule } from '../../model/event.ts';
import type { agent, mode, prompts } from './schema/agents.ts';
import type { hook } from './schema/hooks.ts';
import type { limits } from './schema/limits.ts';
import type { network, server } from './schema/machine.ts';
import type { sandbox } from './schema/permissions.ts';
import type { model, provider, retry, retryRule, signIn, variant } from './schema/providers.ts';
import type { defaults, SectionName, sections } from './schema/sections.ts';
import type { customTool, mcpServer, shell } from './schema/tools.ts';
import type { SettingOf } from './schema/values.ts';

/** A read-only view of the settings; it follows changes to the files. */
export interface Settings {
  /** The effective settings of a session in these folders; untrusted folders can only restrict. */
  of(roots: readonly string[]): SettingsValues;
  /** The current problems with the files; the last valid settings stay in effect. */
  problems(): readonly SettingsProblem[];
  /** Calls back after every change of settings or problems; returns the unsubscribe function. */
  watch(changed: () => void): () => void;
  /** Trust in folders; absent if folders bring nothing that needs it. */
  readonly trust?: FolderTrust;
}

/** Which workspace folders wait for the user's trust, and the user's decisions. */
export interface FolderTrust {
  /** Those of these folders that bring something that trust would enable, and are not decided. */
  undecided(roots: readonly string[]): readonly UndecidedFolder[];
  /**
   * The first of these folders that the user does not trust: it was refused, or it brings something that
   * trust would enable, or settings that cannot be read.
   */
  untrusted(roots: readonly string[]): string | undefined;
  /** A decision for this time lasts until its session is closed, or the host ends. */
  decide(folder: UndecidedFolder, decision: TrustDecision, session: string): void;
  /** The session was closed. */
  endSession(session: string): void;
}

/** `not now` ends the question about exactly this content, in all sessions; the command still shows it. */
export type TrustDecision = 'trust' | 'once' | 'never' | 'not now';

export interface UndecidedFolder {
  readonly folder: string;
  /** A digest of what the folder brings; a decision is about exactly this. */
  readonly digest: string;
  /** Whether it was trusted before and has changed since. */
  readonly changed: boolean;
  /** Whether the user was asked about exactly this and declined to decide. */
  readonly declined: boolean;
  /** Whether turns ask about it. Only the command does about one that brings nothing but variables. */
  readonly isAsked: boolean;
  /** What it brings, one line each, without hidden characters. */
  readonly lines: readonly string[];
}

export interface SettingsProblem {
  readonly file: string;
  /** The workspace folder that contains the file; absent for the user's own file. */
  readonly folder?: string;
  /** `untrusted` is not an error: some settings of the folder have no effect until the user trusts it. */
  readonly kind: 'broken' | 'invalid' | 'unreadable' | 'untrusted';
  /** A complete sentence for users. */
  readonly message: string;
  readonly line?: number;
}

/** The effective settings: the sections of the schema over their defaults. Approvals are rules. */
export type SettingsValues = OptionalSections & DefaultSections & RuleSections;

type Defaults = typeof defaults;
type Section<K extends SectionName> = SettingOf<(typeof sections)[K]>;

/** Sections without a default; they are absent if nobody sets them. */
type OptionalSections = { readonly [K in Exclude<SectionName, keyof Defaults>]?: Section<K> };

type DefaultSections = {
  readonly [K in Exclude<keyof Defaults, keyof RuleSections>]: WithDefaults<Section<K>, Defaults[K]>;
};

/** Members with a default are always present; the default of most lists and maps is that they are empty. */
type WithDefaults<T, D> = D extends Empty ? T : T & Required<Pick<T, keyof T & keyof D>>;
type Empty = readonly never[] | Readonly<Record<string, never>>;

interface RuleSections {
  readonly approvals: readonly Rule[];
  readonly modes: { readonly [name: string]: ModeSettings };
}

export type ProviderSettings = SettingOf<typeof provider>;
export type ModelSettings = SettingOf<typeof model>;
export type VariantSettings = SettingOf<typeof variant>;
export type SignInSettings = SettingOf<typeof signIn>;
export type RetrySettings = SettingOf<typeof retry>;
export type RetryRule = SettingOf<typeof retryRule>;

/** An external agent. */
export type AgentSettings = SettingOf<typeof agent>;

/** A mode of the native agent. */
export interface ModeSettings extends Omit<SettingOf<typeof mode>, 'approvals'> {
  readonly approvals?: readonly Rule[];
}

export type PromptSettings = SettingOf<typeof prompts>;
export type HookSettings = SettingOf<typeof hook>;
export type McpServerSettings = SettingOf<typeof mcpServer>;
export type CustomToolSettings = SettingOf<typeof customTool>;
export type ShellSettings = SettingOf<typeof shell>;
export type SandboxSettings = SettingOf<typeof sandbox>;
export type LimitSettings = WithDefaults<SettingOf<typeof limits>, Defaults['limits']>;
export type NetworkSettings = SettingOf<typeof network>;
export type ServerSettings = WithDefaults<SettingOf<typeof server>, Defaults['server']>;
