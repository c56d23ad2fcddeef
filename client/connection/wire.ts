// A transport for text messages in both directions, independent of their meaning.

export interface Wire {
  send(text: string): void;
  close(): void;
}

export interface WireEvents {
  readonly opened: () => void;
  readonly received: (text: string) => void;
  /** Called once, also when the connection never opened. */
  readonly closed: () => void;
}

export type OpenWire = (events: WireEvents) => Wire;
