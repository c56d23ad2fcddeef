// Our own agent: it answers with a language model and works through our tools. It keeps nothing between
// turns; the log is its memory.
import type { Agent } from '../../host/agent.ts';
import { bareKnowledge } from '../../host/settings/projectKnowledge.ts';
import { NativeConversation } from './conversation.ts';
import { infoOf } from './info.ts';
import type { LanguageModel } from './model.ts';
import type { ModelSource, NativeOptions } from './options.ts';
import { oneByOne } from './turn/oneByOne.ts';

export function nativeAgent(options: NativeOptions): Agent {
  const models = 'list' in options.models ? options.models : fixed(options.models);
  const shared = { models, nextTurn: oneByOne(options.clock) };
  return {
    get info() {
      return infoOf(models.list(), bareKnowledge);
    },
    at: (roots) => infoOf(models.list(), options.knowledge?.now(roots) ?? bareKnowledge),
    continuesAsks: true,
    continuesSubagents: true,
    open: (where) => Promise.resolve(new NativeConversation(where, options, shared)),
    takesModel: (model) => models.find(model) !== undefined,
    watch(changed) {
      const leave = [models.watch(changed), options.knowledge?.watch(changed)];
      return () => leave.forEach((each) => each?.());
    },
  };
}

function fixed(models: readonly LanguageModel[]): ModelSource {
  return {
    list: () => models,
    find: (wanted) => models.find(({ id }) => id === wanted),
    watch: () => () => {},
  };
}
