import { beginningsOf, bigramsOf } from './bigrams.ts';
import {
  type Character,
  charactersOf,
  readCharacter,
  writeCharacter,
  writtenCharacter,
} from './character-forms.ts';
import {
  type Bigram,
  type Case,
  NO_MATCH,
  PARTIAL_MATCH,
  type Pattern,
  type Replacement,
  type Tail,
} from './pattern.ts';

/** Takes the place of a character of several bytes. */
const X = 0x78;

/**
 * A secret as it is, and with any of its characters percent-encoded up to three times, JSON-escaped, or as an entity of HTML. The
 * alias takes over the form character by character, so that its decoded text is the same everywhere.
 */
export class EscapedPattern implements Pattern {
  readonly length: number;
  readonly precedence: 0 | 1;
  readonly begins: readonly Bigram[];
  readonly within: readonly Bigram[];
  readonly shortest: number;
  readonly lead = 0;
  readonly #stand: Replacement;
  readonly #letters: Case;
  readonly #characters: readonly Character[];

  constructor(replacement: Replacement, letters: Case = 'exact') {
    this.#stand = replacement;
    this.#letters = letters;
    this.#characters = charactersOf(replacement.bytes);
    this.precedence = letters === 'exact' ? 0 : 1;
    this.length = replacement.bytes.length;
    const places = this.#characters.map((character) => writtenCharacter(character, letters));
    this.begins = beginningsOf(places);
    this.within = bigramsOf(places);
    this.shortest = replacement.bytes.length;
  }

  /** A match begins at its first pair: the byte before it is never replaced. */
  leads(): boolean {
    return false;
  }

  /** See `Pattern.match`. */
  match(bytes: Uint8Array, at: number, tail: Tail): number {
    let place = at;
    for (let k = 0; k < this.length; ) {
      const wanted = this.#characters[k];
      if (wanted === undefined || place >= bytes.length) return tail === 'final' ? NO_MATCH : PARTIAL_MATCH;
      const step = readCharacter(bytes, place, wanted, this.#letters);
      if (step === null) return NO_MATCH;
      if (step === PARTIAL_MATCH) return tail === 'final' ? NO_MATCH : PARTIAL_MATCH;
      place += step.width;
      k += step.taken;
    }
    return place;
  }

  /** Writes the alias over a match that begins at an offset. */
  replace(bytes: Uint8Array, at: number): void {
    const { alias } = this.#stand;
    let place = at;
    for (let k = 0; k < this.length; ) {
      const wanted = this.#characters[k];
      const step = wanted === undefined ? null : readCharacter(bytes, place, wanted, this.#letters);
      if (step === null || step === PARTIAL_MATCH) return;
      writeCharacter(bytes, place, step, step.taken === 1 ? (alias[k] ?? 0) : X);
      place += step.width;
      k += step.taken;
    }
  }
}
