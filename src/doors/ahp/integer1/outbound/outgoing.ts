// One action on its way to subscribers of version 1: the action itself names what it is about, as
// each client spells it.
import { Outgoing } from '../../delivery/outgoing.ts';
import type { Envelope } from '../../delivery/outgoing.ts';

export class V1Outgoing extends Outgoing {
  #action: string | undefined;
  #resource = '';
  #text = '';

  override under(seq: number): V1Outgoing {
    return new V1Outgoing(this.target, seq, { action: this.action, ...this.origin });
  }

  override text(resource: string): string {
    if (this.#text !== '' && this.#resource === resource) return this.#text;
    this.#action ??= JSON.stringify(this.action).slice(1);
    const action =
      this.target.kind === 'root'
        ? `{${this.#action}`
        : `{"${this.#about}":${JSON.stringify(resource)},${this.#action}`;
    this.#resource = resource;
    const rest = JSON.stringify({ serverSeq: this.seq, ...this.origin }).slice(1);
    this.#text = `{"jsonrpc":"2.0","method":"action","params":{"action":${action},${rest}}`;
    return this.#text;
  }

  override envelope(resource: string): Envelope {
    const addressed = { [this.#about]: resource, ...this.action };
    return {
      action: this.target.kind === 'root' ? this.action : addressed,
      serverSeq: this.seq,
      ...this.origin,
    };
  }

  get #about(): 'session' | 'terminal' {
    return this.target.kind === 'terminal' ? 'terminal' : 'session';
  }
}
