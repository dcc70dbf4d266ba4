// Sent requests as a partial verdict holds them: digests in place of requests, features in place of bodies.
import { createHash } from 'node:crypto';
import type { Timed } from '../../partial/earliest.ts';
import { momentFeatures, reachedMoment } from '../causes/moments.ts';

/** The answers to equal requests in one moment. */
export interface Tally {
  /** Features of the moment, see `moments.ts`. */
  readonly moment: readonly string[];
  accepted: number;
  refused: number;
}

/** Equal requests in one part of the traffic. */
interface SentRequestPart {
  /** Digest of the text that equal requests have in common. */
  readonly fingerprint: string;
  /** The first of them. */
  readonly first: Timed<string>;
  readonly tallies: readonly Readonly<Tally>[];
  /** Of an accepted one; null where none may stand for the operation. */
  readonly subject: string | null;
  /** Index in the list of features; null where it breaks a constraint. */
  readonly features: number | null;
}

/** Requests that were sent in one part of the traffic. */
export interface SentPart {
  readonly requests: readonly SentRequestPart[];
  /** Each set of features once. */
  readonly features: readonly (readonly string[])[];
  /** Accepted requests that are only counted, by operation and variant. */
  readonly dropped: readonly {
    readonly subject: string;
    readonly kinds: readonly { readonly features: readonly string[]; readonly accepted: number }[];
  }[];
}

/** Sets of features, each once. */
export class FeatureSets {
  readonly all: (readonly string[])[] = [];
  readonly #places = new Map<string, number>();

  /** The place of a set in the list. */
  placeOf(features: readonly string[]): number {
    const key = features.join(' ');
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.all.length);
    this.all.push(features);
    return this.all.length - 1;
  }
}

/** Twenty hex digits that stand for a text, which may be long and may contain what must not be passed on. */
export function digestOf(text: string): string {
  return /^sha256-[0-9a-f]{20}$/.test(text)
    ? text
    : `sha256-${createHash('sha256').update(text).digest('hex').slice(0, 20)}`;
}

/** The same tally of requests that turn out not to be the first of their kind. */
export function asRepeated(tally: Readonly<Tally>): Tally {
  return { ...tally, moment: momentFeatures('again', reachedMoment(tally.moment)) };
}

/** The list of `moments.ts` that is equal to one that was read. */
export function sameMoment(moment: readonly string[]): readonly string[] {
  return momentFeatures(isFirst({ moment }) ? 'first' : 'again', reachedMoment(moment));
}

/** Whether the requests are the first of their kind. */
export function isFirst({ moment }: Pick<Tally, 'moment'>): boolean {
  return !moment.some((feature) => feature === momentFeatures('again', 0)[0]);
}
