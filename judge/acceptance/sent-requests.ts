import { getOrMake } from '../../schemas/maps.ts';
import type { RequestRow } from '../requirements/acceptance-facts.ts';
import { earlier, type Timed } from '../trace/timed.ts';
import { type AcceptedRequest, computeFeatures } from './accepted-request.ts';
import { digestOf } from './fingerprint.ts';
import { asRepeated, isFirstSent, type MomentOutcomes, momentFeatures, sharedMoment } from './moments.ts';

const BUDGET_BYTES = 16 * 1024 * 1024;
const MAX_REQUESTS = 10_000;
/** Maximum number of distinct sets of features, per subject, by which dropped requests are counted. */
const MAX_KINDS = 2000;
/** Maximum number of dropped requests with known outcomes: at that number, every request counts as accepted. */
const MAX_REMEMBERED = 20_000;
/** Memory of an entry in bytes, without its body and fingerprint. */
const ENTRY_BYTES = 400;
/** Memory of a parsed body per byte of its text, measured with JSON bodies of the suite. */
const PARSED_BYTES_PER_TEXT_BYTE = 4;

interface SentRequest {
  first: Timed<string>;
  /** By the array that `sharedMoment` returns, because maps compare arrays by identity. */
  readonly tallies: Map<readonly string[], MomentOutcomes>;
  request: KeptRequest | null;
  bytes: number;
}

/** A request that `absorb` adds has its features, but no body. */
type KeptRequest =
  | AcceptedRequest
  | { readonly subject: string; readonly features: readonly string[] | null };

interface AcceptedKind {
  readonly features: readonly string[];
  accepted: number;
}

type KindsBySubject = Map<string, Map<string, AcceptedKind>>;

/** Drops the oldest requests beyond its limits; accepted ones are then counted by their features. */
export class SentRequests {
  readonly #budget: number;
  readonly #sent = new Map<string, SentRequest>();
  readonly #dropped: KindsBySubject = new Map();
  /** Whether each dropped request was accepted, by the digest of its fingerprint. */
  readonly #outcomes = new Map<string, boolean>();
  #bytes = 0;

  constructor(budget = BUDGET_BYTES) {
    this.#budget = budget;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The caller increments the counts, which are created if there are none. */
  tally(fingerprint: string, inFlight: number, sent: Timed<string>): MomentOutcomes {
    const entry = this.#sent.get(fingerprint);
    const moment = momentFeatures(entry === undefined ? 'first' : 'again', inFlight);
    return tallyOf(entry ?? this.#addEntry(fingerprint, sent), moment);
  }

  part() {
    const featureSets: (readonly string[])[] = [];
    const indexes = new Map<string, number>();
    const indexOf = (features: readonly string[]) =>
      getOrMake(indexes, features.join(' '), () => featureSets.push(features) - 1);
    const requests = [...this.#sent].map(([fingerprint, { first, tallies, request }]) => {
      const features = request === null ? null : featuresOf(request);
      return {
        fingerprint: digestOf(fingerprint),
        first,
        tallies: [...tallies.values()],
        subject: request?.subject ?? null,
        features: features === null ? null : indexOf(features),
      };
    });
    const dropped = [...this.#dropped].map(([subject, kinds]) => ({
      subject,
      kinds: [...kinds.values()].map((kind) => ({ ...kind })),
    }));
    return { requests, features: featureSets, dropped, outcomes: [...this.#outcomes] };
  }

  /** Returns refused exchanges that are the first of equal ones in their part, but not in the whole. */
  absorb({ requests, features, dropped, outcomes }: ReturnType<SentRequests['part']>): readonly string[] {
    const repeated: string[] = [];
    for (const { fingerprint, first, tallies, subject, features: index } of requests) {
      const known = this.#sent.get(fingerprint);
      const entry = known ?? this.#addEntry(fingerprint, first);
      const own = [...entry.tallies.values()];
      const isLater = known !== undefined && earlier(known.first, first) === known.first;
      if ((isLater ? tallies : own).some((tally) => isFirstSent(tally.moment) && tally.refused > 0))
        repeated.push((isLater ? first : entry.first).value);
      entry.tallies.clear();
      for (const tally of own)
        addTally(entry, isLater ? tally : { ...tally, moment: asRepeated(tally.moment) });
      for (const tally of tallies)
        addTally(entry, isLater ? { ...tally, moment: asRepeated(tally.moment) } : tally);
      entry.first = earlier(entry.first, first);
      if (subject !== null)
        entry.request ??= { subject, features: index === null ? null : (features[index] ?? null) };
    }
    for (const [digest, wasAccepted] of outcomes) this.#remember(digest, wasAccepted);
    for (const { subject, kinds } of dropped)
      for (const kind of kinds) addKind(kindsOf(this.#dropped, subject), kind, MAX_KINDS);
    return repeated;
  }

  sortAndShrink(): void {
    const sorted = [...this.#sent].toSorted(([, a], [, b]) =>
      earlier(a.first, b.first) === a.first ? -1 : 1,
    );
    this.#sent.clear();
    for (const [fingerprint, sent] of sorted) this.#sent.set(fingerprint, sent);
    this.#shrink('');
  }

  withdraw(fingerprint: string, exchange: string, inFlight: number): void {
    const entry = this.#sent.get(fingerprint);
    const moment = momentFeatures(entry?.first.value === exchange ? 'first' : 'again', inFlight);
    const tally = entry?.tallies.get(moment);
    if (tally !== undefined) tally.refused -= 1;
  }

  /** Whether an equal request was accepted; true if too many requests were dropped to know. */
  wasAccepted(fingerprint: string): boolean {
    const sent = this.#sent.get(fingerprint);
    return (sent !== undefined && isAccepted(sent)) || this.#droppedOutcome(fingerprint) === true;
  }

  wasAnswered(fingerprint: string): boolean {
    return this.#sent.has(fingerprint) || this.#droppedOutcome(fingerprint) !== null;
  }

  #droppedOutcome(fingerprint: string): boolean | null {
    if (this.#outcomes.size === 0) return null;
    return this.#outcomes.size >= MAX_REMEMBERED || (this.#outcomes.get(digestOf(fingerprint)) ?? null);
  }

  #remember(digest: string, wasAccepted: boolean): void {
    if (this.#outcomes.size < MAX_REMEMBERED)
      this.#outcomes.set(digest, this.#outcomes.get(digest) === true || wasAccepted);
  }

  keep(fingerprint: string, request: AcceptedRequest): void {
    const entry = this.#sent.get(fingerprint);
    if (entry === undefined || entry.request !== null) return;
    entry.request = request;
    const bytes = request.size * PARSED_BYTES_PER_TEXT_BYTE;
    entry.bytes += bytes;
    this.#bytes += bytes;
    this.#shrink(fingerprint);
  }

  listAccepted(): ReadonlyMap<string, readonly RequestRow[]> {
    const kinds = structuredClone(this.#dropped);
    for (const sent of this.#sent.values()) addKinds(kinds, sent, Number.POSITIVE_INFINITY);
    return new Map(
      [...kinds].map(([subject, own]) => [
        subject,
        [...own.values()].map((kind) => ({ ...kind, refused: 0, exchanges: [] })),
      ]),
    );
  }

  listRequests(): ReadonlyMap<string, readonly RequestRow[]> {
    const rows = new Map<string, RequestRow[]>();
    for (const [fingerprint, { tallies, request }] of this.#sent) {
      const subject = request?.subject ?? '';
      const own = getOrMake(rows, subject, () => []);
      for (const { moment, accepted, refused } of tallies.values())
        own.push({ features: [fingerprint, ...moment], accepted, refused, exchanges: [] });
    }
    return rows;
  }

  #addEntry(fingerprint: string, first: Timed<string>): SentRequest {
    const bytes = ENTRY_BYTES + fingerprint.length;
    const entry: SentRequest = { first, tallies: new Map(), request: null, bytes };
    this.#sent.set(fingerprint, entry);
    this.#bytes += bytes;
    this.#shrink(fingerprint);
    return entry;
  }

  #shrink(added: string): void {
    for (const [fingerprint, sent] of this.#sent) {
      if ((this.#bytes <= this.#budget && this.#sent.size <= MAX_REQUESTS) || fingerprint === added) return;
      this.#sent.delete(fingerprint);
      this.#bytes -= sent.bytes;
      this.#remember(digestOf(fingerprint), isAccepted(sent));
      addKinds(this.#dropped, sent, MAX_KINDS);
    }
  }
}

function isAccepted({ tallies }: SentRequest): boolean {
  return [...tallies.values()].some(({ accepted }) => accepted > 0);
}

function addKinds(to: KindsBySubject, { request, tallies }: SentRequest, max: number): void {
  const own = request === null ? null : featuresOf(request);
  if (request === null || own === null) return;
  for (const { moment, accepted } of tallies.values())
    if (accepted > 0)
      addKind(kindsOf(to, request.subject), { features: [...own, ...moment].toSorted(), accepted }, max);
}

function kindsOf(kinds: KindsBySubject, subject: string): Map<string, AcceptedKind> {
  return getOrMake(kinds, subject, () => new Map());
}

function addKind(kinds: Map<string, AcceptedKind>, { features, accepted }: AcceptedKind, max: number): void {
  const key = features.join(' ');
  const known = kinds.get(key);
  if (known !== undefined) known.accepted += accepted;
  else if (kinds.size < max) kinds.set(key, { features, accepted });
}

function featuresOf(request: KeptRequest): readonly string[] | null {
  return 'features' in request ? request.features : computeFeatures(request);
}

function tallyOf({ tallies }: SentRequest, moment: readonly string[]): MomentOutcomes {
  return getOrMake(tallies, moment, () => ({ moment, accepted: 0, refused: 0 }));
}

function addTally(sent: SentRequest, { moment, accepted, refused }: Readonly<MomentOutcomes>): void {
  const tally = tallyOf(sent, sharedMoment(moment));
  tally.accepted += accepted;
  tally.refused += refused;
}
