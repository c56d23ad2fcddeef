// A framing converts bytes to messages and back. It knows no stream.

import type { TransportProblem } from '../transports/transport.ts';

export interface Framing {
  encode(text: string): string;
  decoder(sink: DecoderSink, maxMessageBytes: number): Decoder;
}

export interface Decoder {
  /** The result does not depend on how the bytes are divided into chunks. The chunk is not retained. */
  push(chunk: Buffer): void;
  /** The input has ended. */
  end(): void;
}

export interface DecoderSink {
  message(text: string): void;
  problem(problem: TransportProblem): void;
}
