// The settings of tools: MCP servers, tools that run a command line, and the shell.
import * as z from 'zod';
import { flag, json, name, namedStrings, optional, secret, setting, strings, text, word } from './values.ts';

const serverDisabled = optional(flag, 'Whether the server is not started. Default: false.', true);

const localServer = z.strictObject({
  command: setting(word, 'Program that speaks MCP on stdin and stdout.', 'npx'),
  args: optional(strings, 'Arguments of the program.', ['-y', 'some-mcp-server']),
  env: optional(namedStrings, 'Additional environment variables.', { API_TOKEN: '${env:API_TOKEN}' }),
  disabled: serverDisabled,
});

const remoteServer = z.strictObject({
  url: setting(word, 'URL of a remote server.', 'https://mcp.example.com/mcp'),
  headers: optional(namedStrings, 'Additional HTTP headers.', { Authorization: 'Bearer ${env:TOKEN}' }),
  disabled: serverDisabled,
  clientId: optional(
    text,
    'OAuth client ID, if the server does not support dynamic registration.',
    'parley-client',
  ),
  clientSecret: optional(
    secret('must be a reference such as ${env:NAME}'),
    'OAuth client secret; use ${env:NAME}.',
    '${env:MCP_CLIENT_SECRET}',
  ),
  clientName: optional(
    word,
    'Client name for dynamic registration, if the server accepts only certain names. Default: Parley.',
    'Example Editor',
  ),
  callbackPort: optional(
    z.int().min(1).max(65_535),
    'Port of the OAuth callback. Default: a free port.',
    8_765,
  ),
  scope: optional(text, 'OAuth scopes to request, separated by spaces.', 'read write'),
});

export const mcpServer = z.union([localServer, remoteServer]);

export const customTool = z.strictObject({
  description: setting(text, 'What the tool does; the model reads it.', 'Runs a script of package.json.'),
  command: setting(word, 'Command line; {{name}} is replaced by the quoted argument.', 'npm run {{script}}'),
  schema: setting(
    z.strictObject({
      properties: setting(z.record(name, json), 'JSON Schema of each argument.', {
        script: { type: 'string' },
      }),
      required: optional(strings, 'Names of the required arguments.', ['script']),
    }),
    'Arguments of the tool.',
    { properties: { script: { type: 'string' } }, required: ['script'] },
  ),
});

const bash = z.string().regex(/(?:^|[/\\])bash(?:\.exe)?$/, {
  error: 'must be the path of a bash; approval rules cannot judge command lines of other shells',
});

const bashArguments = z
  .array(z.string().regex(/^(?:-[ilc]+|--login|--norc|--noprofile|--posix)$/))
  .refine(
    (args) =>
      args.filter((arg) => /^-[il]*c[il]*$/.test(arg)).length === 1 &&
      /^-[il]*c[il]*$/.test(args.at(-1) ?? ''),
    { error: 'must contain -c once, as the last argument' },
  );

export const shell = z.strictObject({
  path: optional(
    bash,
    'Path of the bash that runs commands of tools. Default: /bin/bash.',
    '/usr/local/bin/bash',
  ),
  args: optional(bashArguments, 'Arguments before the command line. Default: --norc, -c.', ['-l', '-c']),
  titleLength: optional(
    z.int().min(1).max(500),
    'Maximum length of a command in the title of its call, in characters. Default: 35.',
    60,
  ),
});
