// What a protocol demands, as data: each demand names the test that verifies it, and a test takes its title
// from what it verifies.

export interface Requirement {
  readonly id: string;
  /** The demand in our own words. */
  readonly text: string;
  /** Where the reference says so, by section. */
  readonly source: string;
  /** The title of the test that verifies it. */
  readonly test: string;
}

/**
 * The title of the test that verifies these requirements. Throws where they are unknown or
 * named for different tests.
 */
export function verifier(requirements: readonly Requirement[]): (...ids: readonly string[]) => string {
  const known = new Map(requirements.map((each) => [each.id, each]));
  return (...ids) => {
    const titles = new Set(ids.map((id) => known.get(id)?.test ?? fail(`There is no requirement ${id}.`)));
    const [title, ...others] = titles;
    return title === undefined || others.length > 0
      ? fail(`${ids.join(', ')} are not verified by one test.`)
      : title;
  };
}

function fail(message: string): never {
  throw new Error(message);
}
