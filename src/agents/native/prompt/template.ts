// Fills templates: `{{name}}` is a value, and `{% if name %} ... {% else %} ... {% endif %}` a condition.

export function filledTemplate(text: string, values: { readonly [name: string]: string | boolean }): string {
  const known = (name: string) => (Object.hasOwn(values, name) ? values[name] : undefined);
  const chosen = innermost(
    text,
    (name, negated) => (known(name) !== undefined && known(name) !== false && known(name) !== '') !== negated,
  );
  return chosen.replaceAll(/\{\{\s*([\w-]+)\s*\}\}/g, (place, name: string) => String(known(name) ?? place));
}

/** Conditions that are nested deeper are treated as a mistake. */
const deepest = 20;

/** Resolves the conditions, innermost first. */
function innermost(text: string, holds: (name: string, negated: boolean) => boolean): string {
  const condition =
    /\{%\s*if\s+(not\s+)?([\w-]+)\s*%\}((?:(?!\{%\s*if\s).)*?)(?:\{%\s*else\s*%\}((?:(?!\{%\s*if\s).)*?))?\{%\s*endif\s*%\}/gs;
  let rest = text;
  for (let round = 0; round < deepest && condition.test(rest); round += 1) {
    rest = rest.replaceAll(
      condition,
      (...[, negated, name, then, otherwise]: readonly (string | undefined)[]) =>
        (holds(name ?? '', negated !== undefined) ? then : otherwise) ?? '',
    );
    condition.lastIndex = 0;
  }
  return rest;
}
