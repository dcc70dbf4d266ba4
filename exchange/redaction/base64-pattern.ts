import { getOrMake } from '../../schemas/maps.ts';
import {
  hexDigits,
  hexPositions,
  LITERAL,
  type MatchStep,
  NO_MATCH,
  Pattern,
  type Position,
  type ReadResult,
  type Replacement,
  type Spelling,
  SpellingSet,
  type Tail,
  textPositions,
} from './pattern.ts';

const LF = 0x0a;
const PERCENT = 0x25;
const BACKSLASH = 0x5c;
const LETTER_N = 0x6e;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** The last two digits of the URL alphabet (RFC 4648, section 5). */
const URL_TAIL = '-_';
const DIGITS = [...Buffer.from(ALPHABET + URL_TAIL)];
const DIGIT_VALUES = new Uint8Array(256).fill(255);
for (const [i, digit] of DIGITS.entries()) DIGIT_VALUES[digit] = i < 64 ? i : i - 2;

const LINE_BREAKS = ['\n', '\r\n', '\\n', '\\r\\n'].map((text) => textPositions(text));

/** `shared` includes the digits at either end that also hold bits of neighbouring bytes; `whole` leaves them out. */
export type Reach = 'shared' | 'whole';

const DIGIT_SPELLINGS = new Map<string, SpellingSet>();

/**
 * A secret inside base64 that begins `shift` bytes into a group of three: in either alphabet, wrapped or not, with
 * escaped or percent-encoded digits.
 */
export class Base64Pattern extends Pattern {
  /** 1 if the first digit also holds bits of the byte before the secret, otherwise 0. */
  override readonly lead: 0 | 1;
  readonly #leading: readonly number[];
  readonly #characters: readonly SpellingSet[];
  /** Bits of each digit that belong to the secret; those of the lead come first. */
  readonly #masks: Uint8Array;
  /** The digits of the alias; computed lazily, because the alias gets its number when the secret is first found. */
  readonly #aliasBits: () => Uint8Array;

  constructor(replacement: Replacement, shift: 0 | 1 | 2, reach: Reach) {
    const secret = replacement.bytes;
    const masks = sixBitValues(new Uint8Array(secret.length).fill(255), shift);
    const isWanted = (mask: number) => (reach === 'whole' ? mask === 63 : mask > 0);
    const from = masks.findIndex(isWanted);
    const to = masks.findLastIndex(isWanted) + 1;
    const bits = sixBitValues(secret, shift);
    const lead = masks[from] === 63 ? 0 : 1;
    const characters = Array.from(masks.subarray(from + lead, to), (mask, i) => {
      const wanted = bits[from + lead + i] ?? 0;
      const breaks = i > 0 ? [[], ...LINE_BREAKS] : [[]];
      return getOrMake(DIGIT_SPELLINGS, `${mask} ${wanted} ${breaks.length}`, () =>
        newDigitSet(mask, wanted, breaks),
      );
    });
    super(secret.length, 'exact', characters);
    this.lead = lead;
    this.#leading = digitsWith(masks[from] ?? 0, bits[from] ?? 0);
    this.#characters = characters;
    this.#masks = masks.subarray(from, to);
    this.#aliasBits = () => sixBitValues(replacement.alias, shift).subarray(from, to);
  }

  /** Whether a base64 digit can hold the last bits of the byte before the secret and the first bits of the secret. */
  override leads(byte: number): boolean {
    return this.lead === 1 && this.#leading.includes(byte);
  }

  override match(bytes: Uint8Array, at: number, tail: Tail, steps?: MatchStep[]): number {
    // At the beginning of a line, the digit before it ends another line: it is neither checked nor replaced.
    if (this.lead === 1 && !beginsLine(bytes, at)) {
      if (!this.leads(bytes[at - 1] ?? 0)) return NO_MATCH;
      steps?.push({ k: -1, at: at - 1, end: at, spelling: LITERAL });
    }
    return super.match(bytes, at, tail, steps);
  }

  protected override read(k: number, bytes: Uint8Array, at: number, tail: Tail): ReadResult {
    return this.#characters[k]?.read(bytes, at, tail) ?? NO_MATCH;
  }

  protected override write(bytes: Uint8Array, steps: readonly MatchStep[]): void {
    const aliasBits = this.#aliasBits();
    const isUrl = steps.some(({ end }) => URL_TAIL.includes(String.fromCharCode(bytes[end - 1] ?? 0)));
    for (const { k, end, spelling } of steps) {
      const isCoded = spelling.form === 'percent';
      const coded = String.fromCharCode(...bytes.subarray(end - 2, end));
      const digit = isCoded ? Number.parseInt(coded, 16) : (bytes[end - 1] ?? 0);
      const i = k + this.lead;
      const value = ((DIGIT_VALUES[digit] ?? 0) & ~(this.#masks[i] ?? 0)) | (aliasBits[i] ?? 0);
      const byte = digitFor(value, isUrl);
      if (isCoded) bytes.set(hexDigits(byte), end - 2);
      // An escaped slash stays, because JSON can escape no other digit in two characters.
      else if (spelling.form === 'literal') bytes[end - 1] = byte;
    }
  }
}

function beginsLine(bytes: Uint8Array, at: number): boolean {
  const before = bytes[at - 1];
  return before === LF || (before === LETTER_N && bytes[at - 2] === BACKSLASH);
}

function digitsWith(mask: number, bits: number): number[] {
  return DIGITS.filter((byte) => ((DIGIT_VALUES[byte] ?? 0) & mask) === bits);
}

/** A digit with these bits in every spelling, each after every one of `breaks`. JSON may write `/` as `\/`. */
function newDigitSet(mask: number, bits: number, breaks: readonly (readonly Position[])[]): SpellingSet {
  const digit = digitsWith(mask, bits);
  const isDigit = (text: string) => digit.includes(text.charCodeAt(0));
  const forms: readonly (readonly [Spelling['form'], readonly Position[]])[] = [
    ['literal', [digit]],
    ...(isDigit('/') ? [['short', textPositions('\\/')] as const] : []),
    ...['+', '/']
      .filter(isDigit)
      .map((text) => ['percent', [[PERCENT], ...hexPositions([text.charCodeAt(0)])]] as const),
  ];
  return new SpellingSet(
    breaks.flatMap((before) =>
      forms.map(([form, positions]) => ({ form, positions: [...before, ...positions], size: 1 })),
    ),
  );
}

function sixBitValues(bytes: Uint8Array, shift: number): Uint8Array {
  const padded = new Uint8Array(shift + bytes.length + 2);
  padded.set(bytes, shift);
  const count = Math.ceil(((shift + bytes.length) * 8) / 6);
  return Uint8Array.from({ length: count }, (_, i) => {
    const from = Math.floor((i * 6) / 8);
    const pair = ((padded[from] ?? 0) << 8) | (padded[from + 1] ?? 0);
    return (pair >> (10 - ((i * 6) % 8))) & 63;
  });
}

/** The digits, as text, that hold only bits of these bytes: they remain recognisable if base64 is encoded once more. */
export function wholeDigits(bytes: Uint8Array, shift: 0 | 1 | 2, alphabet: 'plain' | 'url'): Uint8Array {
  const masks = sixBitValues(new Uint8Array(bytes.length).fill(255), shift);
  const values = sixBitValues(bytes, shift).filter((_, i) => masks[i] === 63);
  return values.map((value) => digitFor(value, alphabet === 'url'));
}

function digitFor(value: number, isUrl: boolean): number {
  return DIGITS[isUrl && value >= 62 ? value + 2 : value] ?? 0;
}
