import { alias, isHunted } from './alias.ts';
import { Base64Spelled } from './base64.ts';
import { Literal, type Pattern, Spelled } from './spelled.ts';

/** A secret value, and the alias that stands for it. It gets its number when it is first met, so that another run numbers alike. */
export class Secret {
  readonly bytes: Uint8Array;
  readonly isHunted: boolean;
  readonly #text: string;
  readonly #number: () => number;
  #alias: Uint8Array | null = null;

  constructor(text: string, number: () => number) {
    this.#text = text;
    this.#number = number;
    this.bytes = new TextEncoder().encode(text);
    this.isHunted = isHunted(text);
  }

  get alias(): Uint8Array {
    this.#alias ??= alias(this.#number(), this.bytes);
    return this.#alias;
  }

  /**
   * Every spelling in which it is hunted; none where it is not. `reach`: how far base64 is followed; `shared` takes in the
   * digits at either end that hold bits of other bytes, too.
   */
  spellings(reach: 'shared' | 'whole'): readonly Pattern[] {
    if (!this.isHunted) return [];
    return [
      new Spelled(this),
      ...(/[%\\]/.test(this.#text) ? [new Literal(this)] : []),
      ...([0, 1, 2] as const).map((shift) => new Base64Spelled(this, shift, reach)),
    ];
  }
}
