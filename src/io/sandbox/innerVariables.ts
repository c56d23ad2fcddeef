// Variables that decide what programs load and run. Only the confined program itself gets them: the shells,
// bubblewrap and the checks before it would obey them, too, and most of those run outside the sandbox.

export interface Variables {
  readonly [name: string]: string;
}

/** The loader, the C library, shells and Perl read these. None of them holds a secret. */
const obeyed =
  /^(?:LD_|DYLD_|GLIBC_|MALLOC_|BASH|PERL|LC_|PS\d)|^(?:ENV|PATH|CDPATH|IFS|SHELLOPTS|POSIXLY_CORRECT|NODE_OPTIONS|NODE_PATH|GCONV_PATH|GETCONF_DIR|HOSTALIASES|LANG|LANGUAGE|LOCALDOMAIN|LOCPATH|NIS_PATH|NLSPATH|RESOLV_HOST_CONF|RES_OPTIONS|TMPDIR|TZ|TZDIR)$/;

/** The words that start the program with these variables, and the variables that are for everybody. */
export function innerVariables(
  env: Variables,
  words: readonly string[],
): { readonly inner: readonly string[]; readonly outer: Variables } {
  const entries = Object.entries(env);
  const own = entries.filter(([name]) => obeyed.test(name));
  const others = entries.filter(([name]) => !obeyed.test(name));
  return {
    inner: own.length === 0 ? words : ['/usr/bin/env', ...own.map((pair) => pair.join('=')), ...words],
    outer: Object.fromEntries(others),
  };
}
