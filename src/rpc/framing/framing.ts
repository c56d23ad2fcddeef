// What a framing is: bytes to messages and back, without a stream.

import type { TransportProblem } from '../transports/transport.ts';

export interface Framing {
  encode(text: string): string;
  decoder(sink: DecoderSink, maxMessageBytes: number): Decoder;
}

export interface Decoder {
  /** Any division of the same bytes into chunks gives the same messages and problems. The chunk is not kept. */
  push(chunk: Buffer): void;
  /** No more bytes will come. */
  end(): void;
}

export interface DecoderSink {
  message(text: string): void;
  problem(problem: TransportProblem): void;
}
