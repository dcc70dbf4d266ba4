import { FingerprintColumn } from './fingerprint-column.ts';
import { ResponseColumn } from './response-column.ts';

/** Index columns that only a replay needs, built in the same pass: fingerprints of the requests, and the places of the responses. */
export class ReplayIndex {
  /** Of each exchange: fingerprint of its request. */
  readonly fingerprints: FingerprintColumn;
  /** Of each exchange: head and body of its response, where they are simple. */
  readonly answers: ResponseColumn;

  constructor(count: number, betaHeader: string) {
    this.fingerprints = new FingerprintColumn(count, betaHeader);
    this.answers = new ResponseColumn(count);
  }

  /** A line of the k-th exchange, which begins at this offset of the file. */
  add(k: number, line: Buffer, offset: number): void {
    const kind = line[KIND];
    if (kind === LETTER_B) {
      if (line[OF] === LETTER_Q) this.fingerprints.body(k, line);
      else this.answers.body(k, line, offset);
    } else if (line[THIRD] === LETTER_Q) this.fingerprints.request(k, line);
    else if (line[THIRD] === LETTER_S) this.answers.response(k, line);
    else if (line[THIRD] === LETTER_D) this.answers.end(k, line);
  }
}

/** Offsets of the letters that distinguish the lines: `{"e":"Body`, `{"e":"reQuest`, `{"e":"reSponse`, `{"e":"enD`. */
const KIND = 6;
const THIRD = 8;
/** And the two kinds of bodies: `{"e":"body","of":"reQuest`. */
const OF = 20;
const [LETTER_B, LETTER_D, LETTER_Q, LETTER_S] = [...Buffer.from('bdqs')];
