// What an ECA client answers when it is asked about code. Clients answer any such request with a status where
// their own code failed.
import * as z from 'zod';
import { list, maybe, range, text } from './fields.ts';

/** Lines and characters are counted from zero. */
export const diagnosticsAnswer = z.object({
  diagnostics: maybe(
    z.array(
      z.object({
        uri: text,
        severity: maybe(text),
        source: maybe(text),
        range,
        code: z
          .union([text, z.number()])
          .nullish()
          .transform((code) => (code === null || code === undefined ? undefined : String(code))),
        message: text,
      }),
    ),
  ),
  status: maybe(text),
  message: maybe(text),
});

/** Lines and characters are counted from one. */
export const locationsAnswer = z.object({
  status: text,
  locations: list(z.object({ uri: text, range })),
  message: maybe(text),
});
