// The servers that an agent needs for its model: those of the catalogue and the settings, those that its
// environment names, and its tool servers. A confined agent reaches them without a question.
import type { NetworkTarget } from '../../host/ports.ts';
import type { ToolServer } from '../../host/workspace/workbench.ts';
import type { AgentProgram } from './process/program.ts';

export interface ModelHosts {
  /** Public names; `*.` stands for all names below one. */
  readonly hosts: readonly string[];
  /** Reached also on this machine and its network, because the user has named both host and port. */
  readonly known: readonly NetworkTarget[];
}

/** `environment` is that of the program. */
export function modelHosts(
  { needs, inherits = [], env = {} }: AgentProgram,
  environment: { readonly [name: string]: string | undefined },
  servers: readonly ToolServer[] = [],
): ModelHosts {
  const listed = needs?.hosts ?? [];
  const own = Object.entries(environment).filter(([name]) => name in env || matches(name, inherits));
  const named = own.flatMap(([name, value = '']) => (isAddress(name) ? targetOf(value) : []));
  const used = providers.filter(([prefix]) => own.some(([name]) => name.startsWith(prefix)));
  return {
    hosts: [...listed.filter((entry) => !hasPort(entry)), ...used.flatMap(([, hosts]) => hosts)],
    known: [
      ...listed.filter(hasPort).flatMap(targetOf),
      ...named,
      ...servers.flatMap((server) => ('url' in server ? targetOf(server.url) : [])),
    ],
  };
}

/** The servers of model providers, by the first letters of the variables that have their keys. */
const providers: readonly (readonly [prefix: string, hosts: readonly string[]])[] = [
  ['ANTHROPIC_', ['api.anthropic.com']],
  ['OPENAI_', ['api.openai.com']],
  ['GEMINI_', ['generativelanguage.googleapis.com']],
  ['GOOGLE_', ['generativelanguage.googleapis.com', 'aiplatform.googleapis.com', 'oauth2.googleapis.com']],
  ['OPENROUTER_', ['openrouter.ai']],
  ['MISTRAL_', ['api.mistral.ai']],
  ['GROQ_', ['api.groq.com']],
  ['XAI_', ['api.x.ai']],
  ['DEEPSEEK_', ['api.deepseek.com']],
  ['DASHSCOPE_', ['dashscope.aliyuncs.com', 'dashscope-intl.aliyuncs.com']],
];

/** Proxies are left out, and so are services that hand out keys. */
function isAddress(variable: string): boolean {
  return /_(?:URL|HOST|ENDPOINT|BASE)$/.test(variable) && !/PROXY|METADATA|CREDENTIAL/.test(variable);
}

function hasPort(entry: string): boolean {
  return /:\d+$/.test(entry);
}

/** Empty for a value that is not an address. */
function targetOf(value: string): readonly NetworkTarget[] {
  try {
    const url = new URL(/^https?:\/\//i.test(value) ? value : `http://${value}`);
    const name = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
    const usual = url.protocol === 'https:' ? 443 : 80;
    // Some name all addresses of this machine where they mean one.
    return [{ name: name === '0.0.0.0' ? '127.0.0.1' : name, port: Number(url.port) || usual }];
  } catch {
    return [];
  }
}

/** A name may end in `*` as a wildcard. */
function matches(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );
}
