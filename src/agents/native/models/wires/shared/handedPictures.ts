// Sends generated images back as user messages, for wires that accept no images in assistant messages.
// Each image is sent once.
import type { AssistantPart, ModelMessage, Picture } from '../../../model.ts';

export class HandedPictures {
  readonly #goesBack: (part: AssistantPart) => boolean;
  #waiting: Picture[] = [];

  /** `goesBack` is true for parts that the wire accepts in assistant messages. */
  constructor(goesBack: (part: AssistantPart) => boolean = () => false) {
    this.#goesBack = goesBack;
  }

  /**
   * The message with the waiting images. Tool results stay first, since providers require them
   * right after the calls.
   */
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
