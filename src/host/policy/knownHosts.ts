// Names on the network that people know: package registries, and the servers of a repository. Pure.

/** The public registries of package managers, and what they fetch packages from; without `registry.`. */
const registries: ReadonlyMap<string, string> = new Map([
  ['npmjs.org', 'npm'],
  ['yarnpkg.com', 'Yarn'],
  ['pypi.org', 'Python'],
  ['files.pythonhosted.org', 'Python'],
  ['crates.io', 'Rust'],
  ['index.crates.io', 'Rust'],
  ['static.crates.io', 'Rust'],
  ['proxy.golang.org', 'Go'],
  ['sum.golang.org', 'Go'],
  ['rubygems.org', 'Ruby'],
  ['index.rubygems.org', 'Ruby'],
  ['repo.maven.apache.org', 'Maven'],
  ['repo1.maven.org', 'Maven'],
  ['plugins.gradle.org', 'Gradle'],
  ['api.nuget.org', 'NuGet'],
  ['repo.packagist.org', 'PHP'],
  ['hex.pm', 'Elixir'],
  ['repo.hex.pm', 'Elixir'],
]);

/** What a name is for; undefined if nobody knows. `remotes` are the servers of the repository. */
export function hostLabel(name: string, remotes: readonly string[]): string | undefined {
  if (remotes.includes(name)) return 'a remote of this repository';
  const packages = registries.get(name.replace(/^registry\./, ''));
  return packages === undefined ? undefined : `the package registry of ${packages}`;
}

/** The servers that the configuration of a repository names as its remotes. */
export function remoteHosts(configuration: string): readonly string[] {
  const urls = [...configuration.matchAll(/^\s*url\s*=\s*(\S+)\s*$/gm)].map(([, url = '']) => url);
  const hosts = urls.flatMap((url) => {
    const [, named] =
      /^[a-z+]+:\/\/(?:[^@/]*@)?([^:/?#]+)/i.exec(url) ?? /^(?:[^@/]+@)?([^:/]+):/.exec(url) ?? [];
    return named === undefined ? [] : [named.toLowerCase()];
  });
  return [...new Set(hosts)];
}

/**
 * Whether a list has this name, with `*.` for all names below one. A name alone stands for the web (ports 443
 * and 80); for another port an entry ends with it.
 */
export function hasHost(
  patterns: readonly string[],
  { name, port }: { readonly name: string; readonly port: number },
): boolean {
  return patterns.some((pattern) => {
    const [, host = '', only] = /^(.*?)(?::(\d+))?$/.exec(pattern.toLowerCase()) ?? [];
    const isPort = only === undefined ? webPorts.has(port) : Number(only) === port;
    return isPort && (host.startsWith('*.') ? name.endsWith(host.slice(1)) : name === host);
  });
}

const webPorts: ReadonlySet<number> = new Set([80, 443]);
