// The tool server made with the official library, as a process of its own. `http` lets it listen; a key,
// where one is given, must be in the header `x-key`.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { listenMcp, mcpServer } from './mcpServer.ts';

const [, , how, key = '', port = '0'] = process.argv;

if (how === 'http')
  void listenMcp(
    ({ headers }) => (key !== '' && headers['x-key'] !== key ? { status: 401 } : undefined),
    Number(port),
  ).then(({ url }) => process.stdout.write(`${new URL(url).port}\n`));
else serveStdio(mcpServer);
