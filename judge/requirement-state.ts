import type { Exchange } from '../exchange/exchange.ts';
import type { Obstacle } from '../exchange/note.ts';
import type { Requirement } from './requirements/catalogue.ts';
import type { Violation } from './requirements/requirement.ts';
import type { Call, Erratum } from './trace/call.ts';
import { earlier, numberOf, type Timed } from './trace/timed.ts';
import type { Cause } from './verdict/cause.ts';
import { findingSignature, truncateValue } from './verdict/findings.ts';
import type { Finding } from './verdict/verdict.ts';

/** Maximum number of findings to keep. The first of each signature takes precedence, for baselines. */
const MAX_FINDINGS = 20;
const MAX_EXCHANGES_AT_FAULT = 1000;
/** Maximum number of distinct requests whose outcomes are kept. A run has fewer; watched traffic has no end. */
const MAX_TRIALS = 1000;
const MAX_SHOWING = 2;
const NONE: ReadonlySet<never> = new Set();
const NUMERIC_ORDER = new Intl.Collator('en', { numeric: true });

export class RequirementState {
  readonly requirement: Requirement;
  /** Number of pieces of evidence judged, whether or not they comply. */
  observations = 0;
  /** Number of violations, including those beyond the 20 kept; excludes excused and inconclusive ones. */
  findingsTotal = 0;
  readonly #facts: { [K in keyof Facts]?: Timed<Facts[K]> } = {};
  #violations: ViolationRecord | null = null;
  #firstEvidence: FirstEvidence | null = null;
  readonly #trials = new Map<string, Outcomes>();

  constructor(requirement: Requirement) {
    this.requirement = requirement;
  }

  first<K extends keyof Facts>(kind: K): Facts[K] | null {
    return this.#facts[kind]?.value ?? null;
  }

  /** The last exchanges of the evidence that completed first. */
  get shownBy(): readonly string[] {
    return this.#firstEvidence?.exchanges ?? [];
  }

  /** Operations whose responses violate the requirement; contains null if the call of a violation is unknown. */
  get operationsAtFault(): ReadonlySet<string | null> {
    return this.#violations?.operations ?? NONE;
  }

  /** The exchanges with a violation, in order; null if there are more than 1,000. */
  get exchangesAtFault(): readonly string[] | null {
    const exchanges: ReadonlySet<string> = this.#violations?.exchanges ?? NONE;
    if (exchanges.size > MAX_EXCHANGES_AT_FAULT) return null;
    return [...exchanges].toSorted((a, b) => numberOf(a) - numberOf(b));
  }

  /** The kept findings, sorted by exchange, then place. */
  get findings(): readonly Finding[] {
    return (this.#violations?.findings ?? []).toSorted(compareInTrace).map(({ finding }) => finding);
  }

  /** Whether each kept finding is in a response to an invalid request that the target accepted. */
  get isProvoked(): boolean {
    // Findings on valid requests are kept first.
    const findings = this.#violations?.findings ?? [];
    return findings.length > 0 && findings.every((one) => one.isProvoked === true);
  }

  observe(times: number, exchanges: readonly Pick<Exchange, 'id'>[]): void {
    this.observations += times;
    const order = numberOf(exchanges.at(-1)?.id ?? '');
    if (order !== 0 && order < (this.#firstEvidence?.order ?? Infinity))
      this.#firstEvidence = { order, exchanges: exchanges.slice(-MAX_SHOWING).map(({ id }) => id) };
  }

  /** `call` is null if it is unknown; `at`: how many exchanges have ended. */
  report(violation: Violation, { exchange, call, at: now }: ViolationPlace): void {
    if (violation.inconclusive !== undefined) {
      const value = inconclusiveCause(violation.inconclusive, exchange, violation.actual);
      this.recordFact('inconclusive', value, now, exchange);
      return;
    }
    this.findingsTotal += 1;
    const { operations, exchanges, findings } = this.#ensureViolations();
    operations.add(call?.operation.id ?? null);
    if (exchanges.size <= MAX_EXCHANGES_AT_FAULT) exchanges.add(exchange);
    const { at, expected, actual, causeId, closes } = violation;
    const order = numberOf(exchange);
    const isAside = this.requirement.kind !== 'rejected' && call?.exchange.probe?.side === 'violation';
    const last = findings.at(-1);
    const isLate =
      last !== undefined && compareFindings(last, { order, isAside, finding: { at, expected } }) < 0;
    const signature = findingSignature(causeId ?? this.requirement.id, call, at, actual);
    if (findings.length === MAX_FINDINGS && isLate && firstOf(findings, signature) !== -1) return;
    const finding: Finding = {
      at,
      expected,
      ...(actual === undefined ? {} : { actual: truncateValue(actual) }),
      exchange,
      signature,
      ...(causeId === undefined ? {} : { causeId }),
      ...(closes === true && { closes }),
    };
    const isProvoked = isAside && call?.responseClass === 'accepted';
    keepFinding(findings, { order, isAside, ...(isProvoked && { isProvoked }), finding });
  }

  recordTrial(requests: string, outcomes: Outcomes): void {
    const known = this.#trials.get(requests) ?? outcomes;
    if (this.#trials.size >= MAX_TRIALS && !this.#trials.has(requests)) return;
    this.#trials.set(requests, known === outcomes ? outcomes : 'both');
  }

  get hasMixedOutcomes(): boolean {
    return [...this.#trials.values()].includes('both');
  }

  /** Keeps the earliest fact of a kind. `at`: how many exchanges have ended; `exchange`: one that shows it, if any. */
  recordFact<K extends keyof Facts>(kind: K, value: Facts[K], at: number, exchange = ''): void {
    this.#keep(kind, { at, by: numberOf(exchange), value });
  }

  /** Null if there are no results. */
  part() {
    const { inconclusive, blocked, fault, excuse } = this.#facts;
    const hasFacts = Object.keys(this.#facts).length > 0;
    if (this.observations === 0 && this.findingsTotal === 0 && !hasFacts) return null;
    return {
      observations: this.observations,
      ...(this.#trials.size > 0 && { tries: [...this.#trials] }),
      ...(this.#firstEvidence !== null && { shown: this.#firstEvidence }),
      ...(this.#violations !== null && {
        found: {
          total: this.findingsTotal,
          findings: [...this.#violations.findings],
          operations: [...this.#violations.operations],
          exchanges: [...this.#violations.exchanges],
        },
      }),
      ...(inconclusive !== undefined && { inconclusive }),
      ...(blocked !== undefined && { blocked }),
      ...(fault !== undefined && { fault }),
      ...(excuse !== undefined && { excuse: { ...excuse, value: excuse.value.id } }),
    };
  }

  absorb(part: NonNullable<ReturnType<RequirementState['part']>>, errata: readonly Erratum[]): void {
    this.observations += part.observations;
    for (const [requests, outcomes] of part.tries ?? []) this.recordTrial(requests, outcomes);
    if (part.shown !== undefined && part.shown.order < (this.#firstEvidence?.order ?? Infinity))
      this.#firstEvidence = part.shown;
    for (const kind of ['inconclusive', 'blocked', 'fault'] as const) this.#keep(kind, part[kind]);
    const excuse = errata.find(({ id }) => id === part.excuse?.value);
    if (excuse !== undefined && part.excuse !== undefined)
      this.#keep('excuse', { ...part.excuse, value: excuse });
    if (part.found === undefined) return;
    this.findingsTotal += part.found.total;
    const { operations, exchanges, findings } = this.#ensureViolations();
    for (const operation of part.found.operations) operations.add(operation);
    for (const exchange of part.found.exchanges)
      if (exchanges.size <= MAX_EXCHANGES_AT_FAULT) exchanges.add(exchange);
    for (const entry of part.found.findings) keepFinding(findings, entry);
  }

  #keep<K extends keyof Facts>(kind: K, fact: Timed<Facts[K]> | undefined): void {
    if (fact !== undefined) Object.assign(this.#facts, { [kind]: earlier(this.#facts[kind] ?? null, fact) });
  }

  #ensureViolations(): ViolationRecord {
    this.#violations ??= { operations: new Set(), exchanges: new Set(), findings: [] };
    return this.#violations;
  }
}

interface ViolationRecord {
  readonly operations: Set<string | null>;
  readonly exchanges: Set<string>;
  readonly findings: PlacedFinding[];
}

function keepFinding(findings: PlacedFinding[], entry: PlacedFinding): void {
  const place = findings.findIndex((other) => compareFindings(entry, other) < 0);
  findings.splice(place === -1 ? findings.length : place, 0, entry);
  if (findings.length <= MAX_FINDINGS) return;
  const repeated = findings.findLastIndex((one, n) => n > firstOf(findings, one.finding.signature));
  findings.splice(repeated === -1 ? MAX_FINDINGS : repeated, 1);
}

function firstOf(findings: readonly PlacedFinding[], signature: string): number {
  return findings.findIndex(({ finding }) => finding.signature === signature);
}

type Outcomes = 'met' | 'violated' | 'both';

interface Facts {
  readonly inconclusive: Cause;
  readonly blocked: { readonly exchange: string; readonly obstacle: Obstacle };
  readonly fault: string;
  readonly excuse: Erratum;
}

interface ViolationPlace {
  readonly exchange: string;
  readonly call: Call | null;
  readonly at: number;
}

export interface FirstEvidence {
  /** Number of the exchange that completes the evidence. */
  readonly order: number;
  /** The last exchanges of the evidence, at most two. */
  readonly exchanges: readonly string[];
}

function inconclusiveCause(
  kind: NonNullable<Violation['inconclusive']>,
  exchange: string,
  actual: Violation['actual'],
): Cause {
  if (kind === 'capacity') return { kind, exchange, arrival: null };
  const status = typeof actual === 'number' ? actual : null;
  const response = { exchange, arrival: { what: 'answered', status } } as const;
  return kind === 'protocol' || kind === 'authentication' ? { kind, ...response } : { kind, exchange };
}

interface FindingOrder {
  readonly order: number;
  /** Whether the request deliberately breaks a rule other than the requirement. Such findings come after all others. */
  readonly isAside: boolean;
  readonly finding: Pick<Finding, 'at' | 'expected'>;
}

export interface PlacedFinding extends FindingOrder {
  /** True if the target accepted the invalid request. */
  readonly isProvoked?: true;
  readonly finding: Finding;
}

function compareFindings(a: FindingOrder, b: FindingOrder): number {
  return a.isAside === b.isAside ? compareInTrace(a, b) : Number(a.isAside) - Number(b.isAside);
}

function compareInTrace(a: FindingOrder, b: FindingOrder): number {
  if (a.order !== b.order) return a.order - b.order;
  if (a.finding.at !== b.finding.at)
    return NUMERIC_ORDER.compare(a.finding.at, b.finding.at) || (a.finding.at < b.finding.at ? -1 : 1);
  if (a.finding.expected === b.finding.expected) return 0;
  return a.finding.expected < b.finding.expected ? -1 : 1;
}
