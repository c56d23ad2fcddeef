// Every back end runs the suite: our own agent, the reference agent, and one made with the official SDK.
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { nativeAgent } from '../../src/agents/native/agent.ts';
import { scriptedModel } from '../../src/agents/native/models/scripted/scripted.ts';
import { sleepOn } from '../../src/base/waiting.ts';
import { agentRig, externalAgent } from '../kit/agentRig.ts';
import { disposeReference } from '../kit/reference/program.ts';
import { bundle } from '../kit/bundle.ts';
import type { Bundle } from '../kit/bundle.ts';
import type { AgentProgram } from '../../src/agents/acp/process/program.ts';
import type { Switches } from '../kit/reference/switches.ts';
import { agentContract } from './agent.ts';

afterAll(async () => {
  await disposeReference();
  for (const sdk of sdks) sdk.dispose();
});

const acpDeeds = {
  say: (words: string) => `say ${words}`,
  run: (command: string) => `shell ${command}`,
  hang: 'hang',
};
const acpOptions = { once: 'yes', session: 'always', no: 'no' };

agentContract('the native agent', async () => ({
  rig: await agentRig({
    agent: (world, place) => {
      const sleep = sleepOn(world.clock);
      return nativeAgent({
        models: [scriptedModel({ sleep })],
        files: place.files,
        processes: place.processes,
        ids: world.ids,
        clock: world.clock,
        report: (problem, about) => world.report(problem, about),
      });
    },
  }),
  deeds: {
    say: (words) => `say ${words}`,
    run: (command) => `tool shell_command ${JSON.stringify({ command })}`,
    hang: 'hang',
    fail: (words) => `fail broken ${words}`,
  },
  options: { once: 'allow', session: 'allow-session', no: 'deny' },
}));

agentContract('the reference agent', async () => ({
  rig: await agentRig(),
  deeds: { ...acpDeeds, fail: (words) => `fail -32603 ${words}` },
  options: acpOptions,
}));

agentContract('the reference agent with every quirk', async () => ({
  rig: await agentRig({
    switches: {
      can: ['load', 'resume', 'close', 'list', 'delete', 'fork'],
      offers: ['modes', 'models', 'options'],
      quirks: [
        'echoes-version',
        'ends-cancelled-turns',
        'ignores-end',
        'speaks-early',
        'greets-on-stdout',
        'usage-after-turn',
        'echoes-prompt',
        'answers-null',
      ],
    },
    program: { quirks: { end: 'ignored', files: 'off', terminals: 'off' } },
  }),
  deeds: { ...acpDeeds, fail: (words) => `fail -32603 ${words}` },
  options: acpOptions,
}));

/** The ways of the agents that people use, as they were seen on the wire. */
const likes: Readonly<
  Record<string, { readonly switches: Switches; readonly program?: Partial<AgentProgram> }>
> = {
  goose: {
    switches: {
      can: ['load', 'list', 'close'],
      offers: ['models', 'options'],
      quirks: [
        'echoes-version',
        'ends-cancelled-turns',
        'ignores-end',
        'speaks-early',
        'asks-as-other',
        'uses-terminals',
      ],
    },
    program: { quirks: { end: 'ignored' } },
  },
  gemini: {
    switches: {
      can: ['load'],
      offers: ['modes', 'models'],
      quirks: ['asks-first', 'lost-as-invalid', 'forgets'],
    },
    program: { quirks: { files: 'off' } },
  },
  kimi: {
    switches: {
      can: ['load', 'resume', 'list', 'close', 'delete', 'fork'],
      offers: ['options'],
      quirks: ['asks-without-kind', 'uses-terminals', 'usage-after-turn', 'lost-as-invalid'],
      authMethods: [{ type: 'terminal', id: 'login', name: 'Sign in' }],
    },
  },
  qwen: {
    switches: {
      can: ['load', 'resume', 'list'],
      offers: ['modes', 'models', 'options'],
      quirks: ['own-words', 'leaves-slowly', 'lost-as-internal'],
    },
  },
};

for (const [name, { switches, program }] of Object.entries(likes)) {
  agentContract(`an agent with the ways of ${name}`, async () => ({
    rig: await agentRig({ switches, ...(program ? { program } : {}) }),
    deeds: { ...acpDeeds, fail: (words) => `fail -32603 ${words}` },
    options: acpOptions,
  }));
}

const sdks: Bundle[] = [];

sdkContract('an agent of the official SDK', 'sdkAgent.ts');
sdkContract('an agent of the official SDK in version 2', 'sdkAgentV2.ts');

function sdkContract(name: string, file: string): void {
  let sdk: Promise<Bundle> | undefined;
  agentContract(name, async () => {
    sdk ??= bundle(join(import.meta.dirname, '..', 'kit', file));
    const made = await sdk;
    sdks.push(made);
    const program = {
      id: 'sdk',
      name: 'SDK',
      description: 'Made with the official SDK.',
      command: process.execPath,
      args: [made.path],
    };
    return {
      rig: await agentRig({ agent: (world, place) => externalAgent({ program, world, place }) }),
      deeds: { ...acpDeeds, fail: (words) => `fail ${words}` },
      options: acpOptions,
    };
  });
}
