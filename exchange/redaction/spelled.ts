import {
  type Character,
  charactersOf,
  readCharacter,
  writeCharacter,
  writtenCharacter,
} from './character-forms.ts';
import { beginningsOf, neighboursOf } from './neighbours.ts';
import { type Case, NOTHING, type Pair, type Pattern, PERHAPS, type Replaced } from './pattern.ts';

/** Takes the place of a character of several bytes. */
const X = 0x78;

/**
 * A secret as it is, and with any of its characters percent-encoded once or twice, JSON-escaped, or as an entity of HTML. The
 * alias takes over the form character by character, so that its decoded text is the same everywhere.
 */
export class Spelled implements Pattern {
  readonly length: number;
  readonly precedence: 0 | 1;
  readonly begins: readonly Pair[];
  readonly within: readonly Pair[];
  readonly shortest: number;
  readonly lead = 0;
  readonly #stand: Replaced;
  readonly #letters: Case;
  readonly #characters: readonly Character[];

  constructor(replaced: Replaced, letters: Case = 'exact') {
    this.#stand = replaced;
    this.#letters = letters;
    this.#characters = charactersOf(replaced.bytes);
    this.precedence = letters === 'exact' ? 0 : 1;
    this.length = replaced.bytes.length;
    const places = this.#characters.map((character) => writtenCharacter(character, letters));
    this.begins = beginningsOf(places);
    this.within = neighboursOf(places);
    this.shortest = replaced.bytes.length;
  }

  leads(): boolean {
    return false;
  }

  match(bytes: Uint8Array, at: number, last: boolean): number {
    let place = at;
    for (let k = 0; k < this.length; ) {
      const wanted = this.#characters[k];
      if (wanted === undefined || place >= bytes.length) return last ? NOTHING : PERHAPS;
      const step = readCharacter(bytes, place, wanted, this.#letters);
      if (step === null) return NOTHING;
      if (step === PERHAPS) return last ? NOTHING : PERHAPS;
      place += step.width;
      k += step.taken;
    }
    return place;
  }

  replace(bytes: Uint8Array, at: number): void {
    const { alias } = this.#stand;
    let place = at;
    for (let k = 0; k < this.length; ) {
      const wanted = this.#characters[k];
      const step = wanted === undefined ? null : readCharacter(bytes, place, wanted, this.#letters);
      if (step === null || step === PERHAPS) return;
      writeCharacter(bytes, place, step, step.taken === 1 ? (alias[k] ?? 0) : X);
      place += step.width;
      k += step.taken;
    }
  }
}
