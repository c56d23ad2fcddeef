// Where the code of each command is. Nothing is loaded before it is needed: editors start this program again
// and again, so what commands do is described in another file.

export interface CommandFile {
  run(args: readonly string[]): Promise<number>;
}

export const commandFiles = {
  '': () => import('./start/home.ts'),
  serve: () => import('./start/serve.ts'),
  store: () => import('./sessions/store.ts'),
  server: () => import('./stdio/server.ts'),
  'read-chat': () => import('./sessions/readChat.ts'),
  acp: () => import('./stdio/acp.ts'),
  ahp: () => import('./stdio/ahp.ts'),
  agents: () => import('./accounts/agents.ts'),
  models: () => import('./accounts/listModels.ts'),
  login: () => import('./accounts/login.ts'),
  logout: () => import('./accounts/logout.ts'),
  run: () => import('./run/run.ts'),
  chat: () => import('./chat/chat.ts'),
  demo: () => import('./start/demo.ts'),
  sessions: () => import('./sessions/sessions.ts'),
  mcp: () => import('./accounts/mcp.ts'),
  sandbox: () => import('./start/sandbox.ts'),
  setup: () => import('./setup/setup.ts'),
  doctor: () => import('./doctor/doctor.ts'),
  config: () => import('./setup/config.ts'),
  trust: () => import('./setup/trust.ts'),
  untrust: () => import('./setup/untrust.ts'),
  permissions: () => import('./setup/permissions.ts'),
  devices: () => import('./accounts/devices.ts'),
  token: () => import('./accounts/token.ts'),
  service: () => import('./setup/service.ts'),
  completion: () => import('./setup/completion.ts'),
  stop: () => import('./start/stop.ts'),
} satisfies { readonly [name: string]: () => Promise<CommandFile> };
