// What the hosts of the gallery tell: one with everything, and changes of it for other states.
import type { Tables } from '../tableClient.ts';
import { choices, root } from './agents.ts';
import { picture } from './moreTurns.ts';
import { completions } from './turns.ts';
import { sessions } from './sessions.ts';
import * as settings from './settings.ts';
import { chatUsage, git, jobOutput, jobs, shopStates } from './shop.ts';
import { galleryTime } from './time.ts';

export const world: Tables = {
  connection: { kind: 'online' },
  access: { role: 'control', device: 'this', home: '/home/ada' },
  ...{ root, sessions, isListed: true, authRequired: [], states: shopStates },
  answers: {
    'console/connected': () => [
      { door: 'ahp', since: galleryTime - 60_000, device: 'this' },
      { door: 'eca', since: galleryTime - 7_200_000 },
    ],
    'console/folder': () => '/home/ada/code/shop',
    'console/folders': ({ at }) => listing(at),
    'devices/list': () => settings.devices,
    'devices/link': () => ({ link: 'https://192.168.1.4:4518/sign-in?code=1234-5678', role: 'approve' }),
    'listening/read': () => settings.listening,
    'permissions/list': () => settings.answers,
    'providers/list': () => settings.providers,
    'mcp/list': () => settings.servers,
    'mcp/act': () => ({ visit: 'https://example.com/login' }),
    'agents/list': () => settings.agentRows,
    'agents/running': () => settings.runningAgents,
    'agents/registry': () => ({ agents: settings.registry, isSnapshot: true }),
    'settings/read': () => settings.settings,
    'jobs/list': () => jobs,
    'jobs/read': ({ id }) => ({ text: jobOutput[id] ?? '' }),
    'usage/chat': () => chatUsage,
    'usage/totals': () => settings.spending,
    'git/state': () => git,
    'sessions/search': () => [
      { id: 'docs', title: 'Write the guide', modifiedAt: galleryTime, lines: ['The cart adds prices.'] },
    ],
  },
  requests: {
    resourceRead: () => ({ data: picture, encoding: 'base64', contentType: 'image/png' }),
    completions: () => ({ items: completions }),
    resolveSessionConfig: () => ({
      schema: { type: 'object', properties: choices },
      values: {},
      _meta: { permissions: 'ask', model: 'anthropic/sonnet' },
    }),
  },
};

function listing(at: string) {
  if (at.startsWith('/no')) throw new Error('This folder does not exist.');
  const folders = ['docs', 'src', 'test'].map((name) => ({ name, path: `${at}/${name}` }));
  return { folder: at, parent: '/home/ada/code', folders, branch: 'fix/cart-total' };
}

const never = () => new Promise<never>(() => undefined);
const refuse = () => Promise.reject(new Error('The host is too old for this. Update Parley.'));

/** Nothing is there yet. */
export const empty: Tables = {
  ...world,
  sessions: [],
  answers: {
    ...world.answers,
    'devices/list': () => [],
    'permissions/list': () => [],
    'mcp/list': () => [],
    'usage/totals': () => [],
    'jobs/list': () => [],
  },
};

/** The host has not answered yet. */
export const loading: Tables = {
  ...{ ...world, connection: { kind: 'connecting' }, sessions: [], isListed: false, states: {} },
};

/** The host answers nothing. */
export const busy: Tables = {
  ...world,
  answers: { 'permissions/list': never, 'mcp/list': never, 'usage/totals': never, 'devices/list': never },
};

/** Every request fails. */
export const failing: Tables = {
  ...world,
  answers: {
    ...{ 'permissions/list': refuse, 'mcp/list': refuse, 'usage/totals': refuse, 'devices/list': refuse },
    ...{ 'providers/list': refuse, 'agents/list': refuse, 'usage/chat': refuse },
  },
};
