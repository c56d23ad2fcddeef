import { expect, test } from 'vitest';
import { modelHosts } from './modelHosts.ts';
import type { AgentProgram } from './process/program.ts';

const program: AgentProgram = {
  id: 'a',
  name: 'A',
  description: '',
  command: 'a',
  args: [],
  env: { MODEL_BASE_URL: 'https://models.example/v1' },
  inherits: ['OPENAI_*', 'OLLAMA_*', 'AWS_*'],
  needs: { folders: [], hosts: ['*.a.example', 'b.example', 'localhost:8080', '10.0.0.7:8000'] },
};

test('an agent knows what its settings, its variables and its tool servers name', () => {
  const environment = {
    MODEL_BASE_URL: 'https://models.example/v1',
    OPENAI_API_KEY: 'x',
    OPENAI_HOST: 'http://[::1]:9000',
    OLLAMA_HOST: '0.0.0.0:11434',
  };
  const server = { type: 'http', name: 's', url: 'http://127.0.0.1:7000/mcp', headers: {} } as const;
  expect(modelHosts(program, environment, [server])).toEqual({
    hosts: ['*.a.example', 'b.example', 'api.openai.com'],
    known: [
      { name: 'localhost', port: 8080 },
      { name: '10.0.0.7', port: 8000 },
      { name: 'models.example', port: 443 },
      { name: '::1', port: 9000 },
      { name: '127.0.0.1', port: 11_434 },
      { name: '127.0.0.1', port: 7000 },
    ],
  });
});

test.each([
  ['DOCKER_HOST', 'tcp://127.0.0.1:2375'],
  ['HTTPS_PROXY', 'http://127.0.0.1:3128'],
  ['OPENAI_PROXY_URL', 'http://127.0.0.1:3128'],
  ['AWS_EC2_METADATA_SERVICE_ENDPOINT', 'http://127.0.0.1:1'],
  ['AWS_CONTAINER_CREDENTIALS_FULL_URI', 'http://127.0.0.1:2'],
  ['OPENAI_ORGANIZATION', 'a.example:80'],
  ['OPENAI_BASE_URL', 'not an address'],
])('%s names no server of a model', (name, value) => {
  const { needs: _, env: __, ...plain } = program;
  expect(modelHosts(plain, { [name]: value })).toMatchObject({ known: [] });
});
