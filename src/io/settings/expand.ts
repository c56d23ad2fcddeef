// Puts the environment into text that refers to it; the only place where a settings value becomes a secret.

type Environment = { readonly [name: string]: string | undefined };

/** `${env:NAME}` and `${env:NAME:otherwise}` become what the environment holds; undefined where something named is not there. */
export function expand(text: string, env: Environment): string | undefined {
  let missing = false;
  const expanded = text.replaceAll(/\$\{env:([A-Za-z_]\w*)(?::([^}]*))?\}/g, (_, name: string, otherwise: string | undefined) => {
    const value = env[name] ?? otherwise;
    if (value === undefined) missing = true;
    return value ?? '';
  });
  return missing ? undefined : expanded;
}
