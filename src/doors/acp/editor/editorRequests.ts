// Requests to the editor that a turn waits for, each with a time after which the editor is given up.
import type { Clock } from '../../../host/ports.ts';
import type { Peer } from '../../../rpc/peer.ts';

/** How long an editor may take to read a file or to start a terminal, in milliseconds. */
export const readingTime = 30_000;

/** How long an editor may take to write a file, in milliseconds: some let their user review it first. */
export const writingTime = 300_000;

/** The editor has not answered in time; nobody knows what it did. */
export class SilentEditor extends Error {
  constructor(milliseconds: number) {
    super(`The editor did not answer within ${milliseconds / 1_000} seconds.`);
  }
}

/** The requests to one editor. */
export class EditorRequests {
  readonly #peer: Peer;
  readonly #clock: Clock;
  #isSilent = false;

  constructor(peer: Peer, clock: Clock) {
    this.#peer = peer;
    this.#clock = clock;
  }

  /** Whether a request about a file was given up. Its files are then read and written on disk. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Like `send`, about a file. */
  async sendAboutFile(method: string, params: object, time: number): Promise<unknown> {
    try {
      return await this.send(method, params, time);
    } catch (error) {
      this.#isSilent ||= error instanceof SilentEditor;
      throw error;
    }
  }

  /** Waits until the editor answers, or nobody wants the answer any more. */
  wait(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    return this.#peer.request(method, params, { signal });
  }

  /** Rejects with `SilentEditor` after the time, and cancels the request. */
  async send(method: string, params: object, time: number): Promise<unknown> {
    const stop = new AbortController();
    let isLate = false;
    const recall = this.#clock.after(time, () => {
      isLate = true;
      stop.abort();
    });
    try {
      return await this.#peer.request(method, params, { signal: stop.signal });
    } catch (error) {
      throw isLate ? new SilentEditor(time) : error;
    } finally {
      recall();
    }
  }
}
