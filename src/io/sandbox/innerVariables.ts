// Variables that decide what programs load and run. Only the confined program itself gets them: the shells,
// bubblewrap and the checks before it would obey them, too, and most of those run outside the sandbox.

export interface Variables {
  readonly [name: string]: string;
}

/** The loader, the C library, shells and Perl read these. None of them holds a secret. */
const obeyedNames = new Set(
  (
    'CDPATH ENV GCONV_PATH GETCONF_DIR HOSTALIASES IFS LANG LANGUAGE LOCALDOMAIN LOCPATH NIS_PATH NLSPATH ' +
    'NODE_OPTIONS NODE_PATH PATH POSIXLY_CORRECT RESOLV_HOST_CONF RES_OPTIONS SHELLOPTS TMPDIR TZ TZDIR'
  ).split(' '),
);
const obeyedFamilies = /^(?:LD_|DYLD_|GLIBC_|MALLOC_|BASH|PERL|LC_|PS\d)/;

/** The words that start the program with these variables, and the variables that are for everybody. */
export function innerVariables(
  env: Variables,
  words: readonly string[],
): { readonly inner: readonly string[]; readonly outer: Variables } {
  const entries = Object.entries(env);
  const own = entries.filter(([name]) => isObeyed(name));
  const others = entries.filter(([name]) => !isObeyed(name));
  return {
    inner: own.length === 0 ? words : ['/usr/bin/env', ...own.map((pair) => pair.join('=')), ...words],
    outer: Object.fromEntries(others),
  };
}

/** What stands behind an equals sign in a name is a part of the value for everybody who reads it. */
function isObeyed(name: string): boolean {
  const [read = ''] = name.split('=', 1);
  return obeyedNames.has(read) || obeyedFamilies.test(read);
}

/** Whether some of the variables must not reach what runs around the sandbox. */
export function hasInner(env: Variables): boolean {
  return Object.keys(env).some(isObeyed);
}
