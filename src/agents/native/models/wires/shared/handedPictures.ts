// Pictures that a model has made, for wires that take none back from its own side: they come from the user's, as soon as it is the user's turn. Every picture goes once.
import type { AssistantPart, ModelMessage, Picture } from '../../../model.ts';

export class HandedPictures {
  readonly #goesBack: (part: AssistantPart) => boolean;
  #waiting: Picture[] = [];

  /** `goesBack` tells which parts the wire takes back as they are. */
  constructor(goesBack: (part: AssistantPart) => boolean = () => false) {
    this.#goesBack = goesBack;
  }

  /** The message with the pictures before it handed on: results of calls come first, since providers want them right after the calls. */
  around(message: ModelMessage): readonly ModelMessage[] {
    if (message.role === 'assistant') {
      for (const part of message.content)
        if (part.type === 'image' && !this.#goesBack(part))
          this.#waiting.push({ type: 'image', mediaType: part.mediaType, data: part.data });
      return [message];
    }
    if (this.#waiting.length === 0) return [message];
    const handed: ModelMessage = {
      role: 'user',
      content: [
        {
          type: 'text',
          text:
            this.#waiting.length === 1
              ? 'The picture that you have made:'
              : 'The pictures that you have made:',
        },
        ...this.#waiting,
      ],
    };
    this.#waiting = [];
    return message.role === 'tool' ? [message, handed] : [handed, message];
  }
}
