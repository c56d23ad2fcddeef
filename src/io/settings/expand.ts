// Puts the environment and stored secrets into text that refers to them; the only place where a settings
// value becomes a secret.

type Environment = { readonly [name: string]: string | undefined };

/**
 * `${env:NAME}`, `${env:NAME:otherwise}` and `${secret:NAME}` become what they stand for; undefined where
 * something named is not there.
 */
export function expand(
  text: string,
  env: Environment,
  stored: (name: string) => string | undefined = () => undefined,
): string | undefined {
  let missing = false;
  const expanded = text.replaceAll(/\$\{(?:env:[A-Za-z_]\w*(?::[^}]*)?|secret:[^}]+)\}/g, (reference) => {
    const [kind, name = '', ...rest] = reference.slice(2, -1).split(':');
    const value =
      kind === 'secret'
        ? stored([name, ...rest].join(':'))
        : (env[name] ?? (rest.length > 0 ? rest.join(':') : undefined));
    if (value === undefined) missing = true;
    return value ?? '';
  });
  return missing ? undefined : expanded;
}
