import { DISCOVERY, type Exchange } from '../../exchange/exchange.ts';
import { jsonContent } from '../../exchange/http/content.ts';
import { firstHeader } from '../../exchange/http/headers.ts';
import type { Hint } from '../../exchange/note.ts';
import { truncateText } from '../../exchange/printable.ts';
import { isNote, type TraceHeader, type TraceItem } from '../../exchange/trace.ts';
import { combineParts, openJudge } from '../../explain/judge.ts';
import {
  type RefusedModelsPart,
  RejectedConfiguration,
  requestedModel,
} from '../../explain/rejected-configuration.ts';
import { betaHeaderOf } from '../../judge/client/client-side.ts';
import { batchedRequests } from '../../judge/client/uploads.ts';
import type { Dialect } from '../../judge/dialects/dialect.ts';
import type { JudgeOptions, TraceJudge } from '../../judge/judge.ts';
import { type JudgementPart, judgesClients } from '../../judge/judged-traffic.ts';
import {
  type Catalogue,
  type FreeRequirement,
  freeRequirements,
} from '../../judge/requirements/catalogue.ts';
import type { Exclusion } from '../../judge/requirements/requirement.ts';
import { isClaimed, isFiltered } from '../../judge/requirements/selection.ts';
import { Call } from '../../judge/trace/call.ts';
import { FirstTexts } from '../../judge/trace/first-facts.ts';
import { textAt, valueAtPath } from '../../judge/trace/json.ts';
import { numberOf } from '../../judge/trace/timed.ts';
import type { Judgement } from '../../judge/verdict/verdict.ts';
import { modelRoles } from '../../reference/model/catalogue.ts';

export interface JudgedTrace {
  /** The verdicts, before a baseline is applied, with hints on the configuration. */
  readonly judgement: Judgement;
  /** The header, with the judged claims. */
  readonly header: TraceHeader;
  readonly exclusions: readonly Exclusion[];
  /** MUSTs whose evidence depends on a free decision of the target, sorted by id. */
  readonly freeEvidence: readonly FreeRequirement[];
}

export interface JudgingProgress {
  /** Notes do not count. */
  readonly exchanges: number;
  /** Number of distinct MUSTs violated so far. */
  readonly broken: number;
  /** Number of distinct SHOULDs violated so far. */
  readonly warned: number;
}

export interface TrafficJudgeOptions extends Pick<JudgeOptions, 'before' | 'cut'> {
  readonly catalogue: Catalogue;
  readonly header: TraceHeader;
  /** The deviations to excuse; null to judge by the specification only. */
  readonly dialect: Dialect | null;
  /** `stated`: judges the families that the header claims; `called`: also those of every called operation. */
  readonly finds: 'stated' | 'called';
  /** Receives every violation of a requirement that is claimed and not filtered out. */
  readonly onViolation?: NonNullable<JudgeOptions['onViolation']>;
}

/** Far more families than the specification has; bounds those of extensions. */
const MAX_FAMILIES = 1000;
/** Maximum number of models that a hint names, and maximum length of a name, in characters. */
const MAX_MODELS = 20;
const MAX_MODEL_LENGTH = 60;

/**
 * Judges the traffic of one run, live or recorded: feeds a `TraceJudge`, which decides the verdicts, and adds what the
 * traffic says about the setup, namely claimed families and hints on the configuration.
 */
export class TrafficJudge {
  readonly #options: TrafficJudgeOptions;
  readonly #judge: TraceJudge;
  readonly #families: string[];
  readonly #header: TraceHeader;
  readonly #judgesClients: boolean;
  readonly #rejectedConfiguration: RejectedConfiguration;
  readonly #unknownModels = new FirstTexts(MAX_MODELS);
  readonly #violated = { MUST: new Set<string>(), SHOULD: new Set<string>() };
  readonly #calledFamilies = new FirstTexts(MAX_FAMILIES);
  #before: number;
  #exchanges = 0;

  constructor(options: TrafficJudgeOptions) {
    const { catalogue, header, before = 0 } = options;
    this.#options = options;
    this.#judgesClients = judgesClients(catalogue);
    this.#before = before;
    this.#families = [...header.claims.families];
    this.#header = { ...header, claims: { ...header.claims, families: this.#families } };
    this.#rejectedConfiguration = new RejectedConfiguration(this.#header);
    this.#judge = openJudge({
      ...options,
      header: this.#header,
      onViolation: (...found) => this.#report(...found),
    });
  }

  get progress(): JudgingProgress {
    const { MUST, SHOULD } = this.#violated;
    return { exchanges: this.#exchanges, broken: MUST.size, warned: SHOULD.size };
  }

  /** Items must come in the order in which they ended. */
  feed(item: TraceItem): void {
    if (!isNote(item) && this.#options.cut?.isOwn(item) !== false) {
      this.#exchanges += 1;
      // Discovery says nothing about the configuration: its requests try models that a target may lack.
      if (item.scenario !== DISCOVERY) this.#observe(item);
    }
    this.#judge.feed(item);
  }

  #observe(exchange: Exchange): void {
    if (this.#options.finds === 'called') this.#claim(exchange);
    this.#rejectedConfiguration.feed(exchange);
    const model = this.#header.target.name === 'reference' ? unknownModelIn(exchange) : null;
    if (model !== null) this.#unknownModels.add(truncateText(model, MAX_MODEL_LENGTH), numberOf(exchange.id));
  }

  /** Starts another trace, such as a shard of the same run. `before`: how many exchanges came before it. */
  next(before: number): void {
    this.#before = before;
    this.#judge.next(before);
  }

  finish(): JudgedTrace {
    return this.#addFacts(this.#judge.finish());
  }

  /** The results of this part of the traffic, instead of `finish`. `total`: number of exchanges up to its end. */
  part(total: number): TracePart {
    return {
      header: this.#options.header,
      called: this.#calledFamilies.part(),
      refusedModels: this.#rejectedConfiguration.part(),
      unknownModels: this.#unknownModels.part(),
      judgement: this.#judge.part(total),
    };
  }

  merge(parts: readonly TracePart[]): JudgedTrace {
    for (const { called, refusedModels, unknownModels } of parts) {
      this.#unknownModels.absorb(unknownModels);
      this.#calledFamilies.absorb(called);
      this.#rejectedConfiguration.absorb(refusedModels);
    }
    for (const family of this.#calledFamilies.texts) this.#addFamily(family);
    const judgements = parts.map(({ judgement }) => judgement);
    const { catalogue, dialect } = this.#options;
    return this.#addFacts(combineParts({ catalogue, header: this.#header, dialect }, judgements));
  }

  #addFacts(judgement: Judgement): JudgedTrace {
    const { catalogue } = this.#options;
    const hints: Hint[] = [...(judgement.hints ?? []), ...this.#rejectedConfiguration.hints(judgement)];
    if (this.#unknownModels.size > 0) {
      const offered = [...new Set(Object.values(modelRoles))];
      hints.push({ kind: 'models-not-in-reference', models: this.#unknownModels.texts, offered });
    }
    return {
      judgement: { ...judgement, hints },
      header: this.#header,
      exclusions: catalogue.exclusions,
      freeEvidence: freeRequirements(catalogue),
    };
  }

  /** Adds the families of a called operation to the claims: only requirements of claimed families are reported. */
  #claim(exchange: Exchange): void {
    const { betaHeader } = this.#header;
    const hasBetaHeader = firstHeader(exchange.request.headers, betaHeader) !== null;
    const sentHeader = hasBetaHeader ? betaHeader : (betaHeaderOf(exchange) ?? betaHeader);
    const call = Call.from(exchange, sentHeader, this.#options.dialect);
    if (call === null) return;
    const lines = this.#judgesClients ? batchedRequests(call) : [];
    const calls = [call, ...Array.from(lines, (line) => line.call)];
    const variants = calls.flatMap(({ operation, variant }) => variant ?? operation.variants);
    const families = [...new Set(variants.map(({ family }) => family))];
    for (const [n, family] of families.entries()) {
      this.#addFamily(family);
      // The fraction keeps the families of one exchange in order when parts are merged.
      this.#calledFamilies.add(family, this.#before + exchange.ended + n / families.length);
    }
  }

  #addFamily(family: string): void {
    if (!this.#families.includes(family)) this.#families.push(family);
  }

  #report(...found: Parameters<NonNullable<JudgeOptions['onViolation']>>): void {
    const [, requirement] = found;
    if (!isClaimed(requirement, this.#header.claims) || isFiltered(requirement, this.#header.filters)) return;
    this.#violated[requirement.level].add(requirement.id);
    this.#options.onViolation?.(...found);
  }
}

export interface TracePart {
  /** The header of the traffic, with the claims as stated. */
  readonly header: TraceHeader;
  /** Families of called operations, each with the position of the first call; empty if the claims were stated. */
  readonly called: readonly (readonly [family: string, at: number])[];
  readonly refusedModels: RefusedModelsPart;
  readonly unknownModels: ReturnType<FirstTexts['part']>;
  readonly judgement: JudgementPart;
}

/** The model that a client requested and the reference lacks, or null. Scenarios request unknown models on purpose. */
function unknownModelIn(exchange: Exchange): string | null {
  const { response, scenario } = exchange;
  if (scenario !== null || response?.status !== 404) return null;
  const error = valueAtPath(jsonContent(response), 'error');
  return textAt(error, 'code') === 'model_not_found' ? requestedModel(exchange) : null;
}
