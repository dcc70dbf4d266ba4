import { DISCOVERY, type Exchange } from '../../exchange/exchange.ts';
import { firstHeader } from '../../exchange/http/headers.ts';
import { isNote, type TraceHeader, type TraceItem } from '../../exchange/trace.ts';
import { judgementOf, openJudge } from '../../explain/judge.ts';
import { RejectedConfiguration } from '../../explain/rejected-configuration.ts';
import { betaHeaderOf } from '../../judge/client/client-side.ts';
import { batchedRequests } from '../../judge/client/uploads.ts';
import type { Dialect } from '../../judge/dialects/dialect.ts';
import type { JudgeOptions, TraceJudge } from '../../judge/judge.ts';
import { judgesClients } from '../../judge/judged-traffic.ts';
import type { TrafficCut } from '../../judge/partial/traffic-plan.ts';
import {
  type Catalogue,
  type FreeRequirement,
  freeRequirements,
  type Requirement,
} from '../../judge/requirements/catalogue.ts';
import { isClaimed, isFiltered } from '../../judge/requirements/claimed.ts';
import type { Exclusion, Violation } from '../../judge/requirements/requirement.ts';
import { Call } from '../../judge/trace/call.ts';
import { FirstTexts } from '../../judge/trace/timed.ts';
import type { Judgement } from '../../judge/verdict/verdict.ts';
import { type TracePart, UnknownModels } from './trace-part.ts';

export interface JudgedTrace {
  /** The verdicts, before a baseline is applied, with hints on the configuration. */
  readonly judgement: Judgement;
  /** The header, with the judged claims. */
  readonly header: TraceHeader;
  /** Sentences of the specification that no black-box test can judge, from the catalogue. */
  readonly exclusions: readonly Exclusion[];
  /** MUSTs that no target has to show, sorted by id. */
  readonly freeEvidence: readonly FreeRequirement[];
}

/** Intermediate results, while the traffic is being judged. */
export interface JudgingProgress {
  /** Number of exchanges judged so far; notes do not count. */
  readonly exchanges: number;
  /** Number of distinct MUSTs violated so far. */
  readonly broken: number;
  /** Number of distinct SHOULDs violated so far. */
  readonly warned: number;
}

export interface TrafficJudgeOptions extends Pick<JudgeOptions, 'before' | 'cut'> {
  /** The requirements to judge by, including those of extensions. */
  readonly catalogue: Catalogue;
  /** The context of the traffic, with the stated claims; it is copied, never changed. */
  readonly header: TraceHeader;
  /** The deviations to excuse; null to judge by the specification only. */
  readonly dialect: Dialect | null;
  /** `stated`: judges the families that the header claims; `called`: also those of every called operation. */
  readonly finds: 'stated' | 'called';
  /** Receives every violation of a claimed requirement. */
  readonly onViolation?: NonNullable<JudgeOptions['onViolation']>;
}

/** Above the number of families, including those of extensions. */
const MOST_FAMILIES = 1000;

/**
 * Judges the traffic of one run, live or recorded: feeds a `TraceJudge`, which decides the verdicts, and adds what the
 * traffic says about the setup, namely claimed families and hints on the configuration.
 */
export class TrafficJudge {
  readonly #catalogue: Catalogue;
  readonly #dialect: Dialect | null;
  readonly #judge: TraceJudge;
  readonly #families: string[];
  readonly #header: TraceHeader;
  readonly #finds: TrafficJudgeOptions['finds'];
  readonly #claimsBatched: boolean;
  readonly #refused: RejectedConfiguration;
  readonly #unknownModels: UnknownModels;
  readonly #rules = { MUST: new Set<string>(), SHOULD: new Set<string>() };
  readonly #onViolation: NonNullable<TrafficJudgeOptions['onViolation']>;
  readonly #given: TraceHeader;
  readonly #cut: TrafficCut | null;
  readonly #called = new FirstTexts(MOST_FAMILIES);
  #before: number;
  #exchanges = 0;

  constructor({ catalogue, header, dialect, finds, ...options }: TrafficJudgeOptions) {
    const { onViolation = () => {}, before = 0, cut = null } = options;
    this.#before = before;
    this.#cut = cut;
    this.#catalogue = catalogue;
    this.#dialect = dialect;
    this.#finds = finds;
    this.#claimsBatched = judgesClients(catalogue);
    this.#given = header;
    this.#families = [...header.claims.families];
    this.#header = { ...header, claims: { ...header.claims, families: this.#families } };
    this.#refused = new RejectedConfiguration(this.#header);
    this.#unknownModels = new UnknownModels(header);
    this.#onViolation = onViolation;
    const onReport = (violation: Violation, requirement: Requirement, evidence: readonly Exchange[]): void =>
      this.#report(violation, requirement, evidence);
    this.#judge = openJudge({ catalogue, header: this.#header, dialect, before, cut, onViolation: onReport });
  }

  /** Counts of what has been fed so far; only requirements that are claimed and not filtered out count. */
  get standing(): JudgingProgress {
    return { exchanges: this.#exchanges, broken: this.#rules.MUST.size, warned: this.#rules.SHOULD.size };
  }

  /** Adds an item. Items must come in the order in which they ended. */
  feed(item: TraceItem): void {
    if (!isNote(item) && this.#cut?.isOwn(item) !== false) {
      this.#exchanges += 1;
      // Discovery says nothing about the configuration: its requests try models that a target may lack.
      if (item.scenario !== DISCOVERY) this.#observe(item);
    }
    this.#judge.feed(item);
  }

  #observe(exchange: Exchange): void {
    if (this.#finds === 'called') this.#claim(exchange);
    this.#refused.feed(exchange);
    this.#unknownModels.feed(exchange);
  }

  /** Starts another trace, such as a shard of the same run. `before`: how many exchanges came before it. */
  next(before?: number): void {
    this.#before = before ?? this.#before + this.#exchanges;
    this.#judge.next(before);
  }

  /** Ends the trace. Call it once. */
  finish(): JudgedTrace {
    return this.#judged(this.#judge.finish());
  }

  /** The results of this part of the traffic; call it instead of `finish`. `total`: number of exchanges up to its end. */
  part(total: number): TracePart {
    return {
      header: this.#given,
      called: this.#called.part(),
      refusedModels: this.#refused.part(),
      unknownModels: this.#unknownModels.part(),
      judgement: this.#judge.part(total),
    };
  }

  /** Decides verdicts from parts that were judged elsewhere. */
  merge(parts: readonly TracePart[]): JudgedTrace {
    for (const { called, refusedModels, unknownModels } of parts) {
      this.#unknownModels.absorb(unknownModels);
      this.#called.absorb(called);
      this.#refused.absorb(refusedModels);
    }
    for (const family of this.#called.texts) this.#addFamily(family);
    const judgements = parts.map(({ judgement }) => judgement);
    const options = { catalogue: this.#catalogue, header: this.#header, dialect: this.#dialect };
    return this.#judged(judgementOf(options, judgements));
  }

  #judged(judgement: Judgement): JudgedTrace {
    const { exclusions } = this.#catalogue;
    return {
      judgement: {
        ...judgement,
        hints: [
          ...(judgement.hints ?? []),
          ...this.#refused.hints(judgement),
          ...this.#unknownModels.hints(),
        ],
      },
      header: this.#header,
      exclusions,
      freeEvidence: freeRequirements(this.#catalogue),
    };
  }

  /**
   * Adds the families of a called operation to the claims. Only requirements of claimed families are reported.
   */
  #claim(exchange: Exchange): void {
    const { betaHeader } = this.#header;
    const isNamed = firstHeader(exchange.request.headers, betaHeader) !== null;
    const sent = isNamed ? betaHeader : (betaHeaderOf(exchange) ?? betaHeader);
    const call = Call.from(exchange, sent, this.#dialect);
    if (call === null) return;
    const lines = this.#claimsBatched ? batchedRequests(call) : [];
    for (const { operation, variant } of [call, ...Array.from(lines, (line) => line.call)]) {
      const variants = variant === null ? operation.variants : [variant];
      for (const [n, { family }] of variants.entries()) {
        this.#addFamily(family);
        this.#called.add(family, this.#before + exchange.ended + n / variants.length);
      }
    }
  }

  #addFamily(family: string): void {
    if (!this.#families.includes(family)) this.#families.push(family);
  }

  #report(violation: Violation, requirement: Requirement, evidence: readonly Exchange[]): void {
    if (!isClaimed(requirement, this.#header.claims) || isFiltered(requirement, this.#header.filters)) return;
    this.#rules[requirement.level].add(requirement.id);
    this.#onViolation(violation, requirement, evidence);
  }
}
