// Keeps zod small in the bundle: packages that import its `z` object keep all of it alive, for every door too, since a module is in one chunk only.
// The same names taken from the module itself let the bundler leave out what nobody uses.
import { readFile } from 'node:fs/promises';

export const leanZod = {
  name: 'lean zod',
  setup(builder) {
    builder.onLoad({ filter: /node_modules[\\/]@ai-sdk[\\/].+\.mjs$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll(
        /import \{ z(?: as (\w+))? \} from "(zod\/v4)"/g,
        (_, name = 'z', source) => `import * as ${name} from "${source}"`,
      ),
      loader: 'js',
    }));
  },
};
