// Answers a request by a table of handlers, after its params were checked. It knows no method.
import type { ParseResult } from '../../../protocols/ahp/shapes.ts';
import { ahpError } from '../errors.ts';

interface RequestTable<Client> {
  readonly handlers: Readonly<Record<string, ((client: Client, params: never) => unknown) | undefined>>;
  readonly checks: {
    isRequestMethod(method: string): boolean;
    parseRequest(method: string, params: unknown): ParseResult<unknown>;
  };
}

/** A method without a handler is refused. */
export function answerRequest<Client>(
  client: Client,
  { handlers, checks }: RequestTable<Client>,
  { method, params }: { readonly method: string; readonly params: unknown },
): unknown {
  const handle = checks.isRequestMethod(method) ? handlers[method] : undefined;
  if (!handle) throw ahpError('methodNotFound', `This host has no method ${method.slice(0, 64)}.`);
  // The method chooses params and handler alike, which the compiler cannot follow.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return handle(client, checkedParams(checks.parseRequest(method, params)) as never);
}

/** The params of a request; throws an error that names the problem if they do not match. */
export function checkedParams<Params>(parsed: ParseResult<Params>): Params {
  if (!parsed.ok) throw ahpError('invalidParams', parsed.problem);
  return parsed.value;
}
