import { assemble } from '../exchange/cassette/assemble.ts';
import type { Blobs } from '../exchange/cassette/blobs.ts';
import type { JournalEvent } from '../exchange/cassette/format.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import { Call } from '../judge/call.ts';
import type { Catalogue, Rule } from '../judge/catalogue.ts';
import { type Judge, openJudge } from '../judge/court.ts';
import type { Dialect } from '../judge/dialect.ts';
import type { Complaint } from '../judge/requirement.ts';
import type { Judgement } from '../judge/verdict.ts';
import type { Paint } from '../reports/paint.ts';
import { violation } from '../reports/violation.ts';

/** How many different violations are told as they happen; what comes after is in the report. */
const TOLD = 1_000;

export interface WatcherOptions {
  readonly catalogue: Catalogue;
  /** Its claims are what is judged; where they are to be found out, they grow with what is called. */
  readonly header: TraceHeader;
  readonly dialect: Dialect | null;
  readonly blobs: Pick<Blobs, 'read'>;
  readonly width: number;
  readonly paint: Paint;
  /** Gets each violation in words, when it is met for the first time. */
  readonly tell: (text: string) => void;
}

/** How it stands: exchanges judged so far, and requirements broken. */
export interface Standing {
  readonly exchanges: number;
  readonly broken: number;
  readonly warned: number;
}

/** Judges exchanges as they end, out of the lines that they left in a journal, in memory that does not grow with them. */
export class Watcher {
  readonly #options: WatcherOptions;
  readonly #judge: Judge;
  readonly #families: string[];
  readonly #header: TraceHeader;
  readonly #told = new Set<string>();
  readonly #rules = { MUST: new Set<string>(), SHOULD: new Set<string>() };
  /** Ended, but after one that has not come yet. */
  readonly #early = new Map<number, Exchange>();
  #judged = 0;

  constructor(options: WatcherOptions) {
    const { catalogue, header, dialect } = options;
    this.#options = options;
    this.#families = [...header.claims.families];
    this.#header = { ...header, claims: { ...header.claims, families: this.#families } };
    const onComplaint = (complaint: Complaint, rule: Rule, evidence: readonly Exchange[]): void =>
      this.#hear(complaint, rule, evidence);
    this.#judge = openJudge({ catalogue, header: this.#header, dialect, onComplaint });
  }

  get standing(): Standing {
    return { exchanges: this.#judged, broken: this.#rules.MUST.size, warned: this.#rules.SHOULD.size };
  }

  feed(lines: readonly JournalEvent[]): void {
    const exchange = assemble(lines, this.#options.blobs);
    if (exchange === null) return;
    this.#early.set(exchange.ended, exchange);
    for (;;) {
      const next = this.#early.get(this.#judged + 1);
      if (next === undefined) return;
      this.#early.delete(next.ended);
      this.#judged += 1;
      this.#learn(next);
      this.#judge.feed(next);
    }
  }

  finish(): { readonly judgement: Judgement; readonly header: TraceHeader } {
    return { judgement: this.#judge.finish(), header: this.#header };
  }

  #learn(exchange: Exchange): void {
    const { claims, betaHeader } = this.#header;
    if (claims.how !== 'auto') return;
    const call = Call.of(exchange, betaHeader, this.#options.dialect);
    if (call === null) return;
    const variants = call.variant === null ? call.operation.variants : [call.variant];
    for (const { family } of variants) if (!this.#families.includes(family)) this.#families.push(family);
  }

  #hear(complaint: Complaint, rule: Rule, evidence: readonly Exchange[]): void {
    if (!rule.families.some((family) => this.#families.includes(family))) return;
    this.#rules[rule.level].add(rule.id);
    const key = `${rule.id} ${complaint.at.replaceAll(/\d+/g, '[]')}`;
    if (this.#told.size >= TOLD || this.#told.has(key)) return;
    this.#told.add(key);
    const { width, paint, tell } = this.#options;
    tell(violation(rule, complaint, evidence, { width, paint }));
  }
}
