// The ways in which an exchange with a provider fails. `modelError` turns them into messages for users.

/** No byte arrived for too long. */
export class IdleTimeout extends Error {
  constructor() {
    super('No data arrived for too long.');
    this.name = 'IdleTimeout';
  }
}

/** The stream ended without its final event. */
export class StreamCutOff extends Error {
  constructor() {
    super('The stream ended early.');
    this.name = 'StreamCutOff';
  }
}

/** A part of the answer is not valid JSON, or a frame is damaged. */
export class InvalidJson extends Error {
  constructor(cause: unknown) {
    super('A part of the answer is not valid JSON.', { cause });
    this.name = 'InvalidJson';
  }
}

/** A part of the answer has more values, or its calls more arguments, than anybody needs. */
export class AnswerTooLarge extends Error {
  constructor() {
    super('A part of the answer is too large.');
    this.name = 'AnswerTooLarge';
  }
}

/** The address does not lead to a provider: it sent a web page, or an unknown kind of answer. */
export class UnexpectedContent extends Error {
  readonly sent: 'a web page' | 'something else';
  constructor(sent: 'a web page' | 'something else') {
    super(`The server sent ${sent}.`);
    this.name = 'UnexpectedContent';
    this.sent = sent;
  }
}

/** The answer has neither text nor calls. */
export class EmptyAnswer extends Error {
  constructor() {
    super('The answer is empty.');
    this.name = 'EmptyAnswer';
  }
}

/** The provider answered with an error status. */
export class ErrorResponse extends Error {
  readonly statusCode: number;
  readonly responseHeaders: { readonly [name: string]: string };
  readonly responseBody: string;
  constructor(status: number, headers: { readonly [name: string]: string }, body: string) {
    super(`The provider answered with status ${status}.`);
    this.name = 'ErrorResponse';
    this.statusCode = status;
    this.responseHeaders = headers;
    this.responseBody = body;
  }
}
