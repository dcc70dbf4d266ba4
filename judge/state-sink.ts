import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Exchange } from '../exchange/exchange.ts';
import type { Json } from '../exchange/http/body.ts';
import type { Obstacle } from '../exchange/note.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import { messageOf } from '../schemas/error-message.ts';
import { extensions } from '../schemas/index.ts';
import { bodyFeatures } from './acceptance/features.ts';
import type { NearestEvidence } from './coverage/operation-coverage.ts';
import { AppliedErrata } from './dialects/errata.ts';
import { bodyOf } from './probe/constraints.ts';
import type { RequestViolation, Requirement, ResultSink, VocabularySide } from './requirements/catalogue.ts';
import type { AcceptanceFacts, Diagnosis, Failures, RefusalCauses } from './requirements/refusals.ts';
import type { Supposition, Violation } from './requirements/requirement.ts';
import { Call, type Erratum } from './trace/call.ts';
import { jsonKindOf } from './trace/json.ts';
import { earlier, numberOf, type Timed } from './trace/timed.ts';
import type { Cause } from './verdict/cause.ts';
import type { Finding } from './verdict/verdict.ts';

export interface StateSinkOptions {
  /** Header of the trace that is judged. */
  readonly header: TraceHeader;
  /** By requirement id; the sink writes results to them. */
  readonly states: ReadonlyMap<string, RequirementState>;
  /** Decides which violations the active dialect excuses, and counts them. */
  readonly errata: AppliedErrata;
  /** Finds the causes of refusals and failures. */
  readonly explainer: Pick<ResultSink, 'explainRefusals'>;
  /** Receives exchanges that are nearly evidence; absent if they are not needed. */
  readonly nearest?: NearestEvidence;
  /** Called with each violation that is neither excused nor inconclusive. */
  readonly onViolation?:
    | ((violation: Violation, requirement: Requirement, evidence: readonly Exchange[]) => void)
    | undefined;
}

/** Writes results of evaluators to the states of requirements. Throws for an id outside the catalogue. */
export class StateSink implements ResultSink {
  /** Header of the trace that is judged. */
  readonly header: TraceHeader;
  /** How many exchanges have ended; decides which of several facts was first. */
  now = 0;
  /** How many exchanges came before this trace. */
  trace = 0;
  /** Results that count only if a supposition turns out to be true. */
  readonly suppositions = new SupposedResults();
  /** By trace; within a trace, the most frequent cause first. */
  readonly diagnoses: Diagnosis[] = [];
  /** The failures of all traces so far. */
  failures: Failures = { breakdowns: [], lost: [] };
  /** Ids of the exchanges passed to `excuse`. */
  readonly excusedRefusals = new Set<string>();
  readonly #options: StateSinkOptions;

  constructor(options: StateSinkOptions) {
    this.header = options.header;
    this.#options = options;
  }

  /** Counts evidence. `by`: the exchanges of the first piece, the last of which completes it. */
  observe(id: string, times: number, by: readonly Pick<Exchange, 'id'>[]): void {
    this.#stateOf(id).observe(times, by);
  }

  /** Records the outcome of evidence that chance may decide. */
  tried(id: string, requests: string, outcome: 'met' | 'violated'): void {
    this.#stateOf(id).tried(requests, outcome);
  }

  /** Records that the target complies in the current trace. */
  showCompliance(id: string): void {
    this.suppositions.show(id, this.trace);
  }

  /** Returns a sink whose results count only if the supposition is true for the current trace. */
  supposing(id: string, { holds, isSoHere }: Supposition, evidence: readonly Exchange[]): ResultSink {
    const { requirement } = this.#stateOf(id);
    const state = new RequirementState(requirement);
    const errata = new AppliedErrata(this.#options.errata.dialect);
    const onViolation = isSoHere ? this.#options.onViolation : undefined;
    const by = numberOf(evidence.at(-1)?.id ?? '');
    this.suppositions.add(id, this.trace, { holds, by, state, errata });
    const sink = new StateSink({ ...this.#options, states: new Map([[id, state]]), errata, onViolation });
    sink.now = this.now;
    return sink;
  }

  /** Records a violation, or an excuse if an erratum of the active dialect covers it. */
  report(id: string, violation: Violation, evidence: readonly Exchange[]): void {
    const { errata, header, onViolation } = this.#options;
    const state = this.#stateOf(id);
    const named = violation.exchange;
    const shown = evidence.find((exchange) => exchange.id === named) ?? evidence.at(-1);
    const call = shown === undefined ? null : Call.from(shown, header.betaHeader, errata.dialect);
    const erratum = errata.find(id, violation, call);
    const exchange = named ?? shown?.id ?? '';
    if (erratum !== null) {
      state.note('excuse', erratum, this.now, exchange);
      return;
    }
    state.report(violation, { exchange, call, at: this.now });
    if (violation.inconclusive === undefined) onViolation?.(violation, state.requirement, evidence);
  }

  /** Returns the violations that no dialect permits; all of them without a dialect. */
  remaining(
    call: Call,
    violations: readonly RequestViolation[],
    side: VocabularySide,
  ): readonly RequestViolation[] {
    const { dialect, vocabulary } = this.#options.errata;
    if (dialect === null) return violations;
    const body = vocabulary.wantsFields ? bodyOf(call) : null;
    const unlisted = body === null ? [] : bodyFeatures(body.tree, body.value).unlisted;
    return vocabulary.remaining(call, { violations, unlisted }, side);
  }

  /** Keeps the first obstacle: later ones are usually consequences. */
  block(id: string, exchange: string, obstacle: Obstacle): void {
    this.#stateOf(id).note('blocked', { exchange, obstacle }, this.now, exchange);
  }

  /** Ignores exchanges that no scenario sent. Returns false once the requirement has evidence. */
  missed(id: string, exchanges: readonly Exchange[], met: number): boolean {
    // The cheap test comes first: most traffic has no scenario.
    if (exchanges.at(-1)?.scenario == null) return true;
    if (this.#stateOf(id).observations > 0) return false;
    this.#options.nearest?.missed(id, exchanges, met);
    return true;
  }

  /** Returns the causes, and adds them to `diagnoses` and `failures`. */
  explainRefusals(facts: AcceptanceFacts): RefusalCauses {
    const causes = this.#options.explainer.explainRefusals(facts);
    this.diagnoses.push(...causes.diagnoses);
    this.failures = {
      breakdowns: [...this.failures.breakdowns, ...causes.breakdowns],
      lost: [...this.failures.lost, ...facts.lost],
    };
    return causes;
  }

  /** Adds exchanges to `excusedRefusals`. */
  excuse(exchanges: Iterable<string>): void {
    for (const id of exchanges) this.excusedRefusals.add(id);
  }

  /** Records the error of a check; a stack overflow makes the requirement inconclusive. */
  fail(id: string, error: unknown): void {
    const state = this.#stateOf(id);
    // A response nested so deeply that it overflows the stack is a problem of the target, not a bug in assay.
    if (error instanceof RangeError && /call stack/i.test(error.message))
      state.note('inconclusive', { kind: 'nesting' }, this.now);
    else state.note('fault', `${messageOf(error)}${placeInSuite(error)}`, this.now);
  }

  #stateOf(id: string): RequirementState {
    const state = this.#options.states.get(id);
    if (state === undefined) throw new Error(`${id} is judged, but not in the catalogue`);
    return state;
  }
}

/** Maximum number of results kept per requirement, trace and supposition. */
const SUPPOSED = 50;

interface Supposed {
  readonly holds: boolean;
  readonly by: number;
  readonly state: RequirementState;
  readonly errata: AppliedErrata;
}

class SupposedResults {
  readonly #shown = new Set<string>();
  readonly #supposed = new Map<string, Supposed[]>();

  /** `trace`: the number of exchanges before the trace. */
  show(id: string, trace: number): void {
    this.#shown.add(suppositionKey(id, trace));
  }

  /** Beyond the maximum, only the results of the first exchanges are kept. */
  add(id: string, trace: number, supposed: Supposed): void {
    const key = suppositionKey(id, trace);
    const own = this.#supposed.get(key) ?? [];
    own.push(supposed);
    own.sort((a, b) => a.by - b.by);
    const kept = [true, false].flatMap((way) => own.filter(({ holds }) => holds === way).slice(0, SUPPOSED));
    this.#supposed.set(key, kept);
  }

  /** Moves results whose supposition is true into the states. Call it once. */
  resolve(states: ReadonlyMap<string, RequirementState>, errata: AppliedErrata): void {
    for (const [key, own] of this.#supposed)
      for (const { holds, state, errata: used } of own) {
        const part = holds === this.#shown.has(key) ? state.part() : null;
        if (part === null) continue;
        states.get(state.requirement.id)?.absorb(part, errata.dialect?.errata ?? []);
        errata.absorb(used.part());
      }
  }

  part() {
    const supposed = [...this.#supposed].flatMap(([key, own]) =>
      own.flatMap(({ holds, by, state, errata }) => {
        const part = state.part();
        return part === null ? [] : [{ key, holds, by, state: part, errata: errata.part() }];
      }),
    );
    return { shown: [...this.#shown], supposed };
  }

  absorb(
    { shown, supposed }: ReturnType<SupposedResults['part']>,
    states: ReadonlyMap<string, RequirementState>,
    { dialect }: AppliedErrata,
  ): void {
    for (const key of shown) this.#shown.add(key);
    for (const { key, holds, by, state: part, errata: used } of supposed) {
      const [trace = '', id = ''] = key.split(' ');
      const known = states.get(id);
      if (known === undefined) continue;
      const state = new RequirementState(known.requirement);
      state.absorb(part, dialect?.errata ?? []);
      const errata = new AppliedErrata(dialect);
      errata.absorb(used);
      this.add(id, Number(trace), { holds, by, state, errata });
    }
  }
}

function suppositionKey(id: string, trace: number): string {
  return `${trace} ${id}`;
}

/** The innermost line of an extension's suite in the stack of an error: ` (tokens.suite.mjs:12)`; empty for assay's own code. */
function placeInSuite(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const suites = extensions().flatMap(({ suites }) => suites);
  for (const line of stack.split('\n')) {
    const suite = suites.find((path) => line.includes(path) || line.includes(pathToFileURL(path).href));
    const [, row] = /:(\d+):\d+\)?$/.exec(line) ?? [];
    if (suite !== undefined && row !== undefined) return ` (${basename(suite)}:${row})`;
  }
  return '';
}

/**
 * Maximum number of findings kept per requirement; all are counted. The first finding of each signature takes
 * precedence, because baselines accept signatures.
 */
const KEPT = 20;

/** Maximum number of exchanges at fault whose ids are kept. */
const AT_FAULT = 1000;

/** Maximum number of distinct requests whose outcomes are kept: a run has fewer, and watched traffic has no end. */
const TRIES = 1000;

/** Maximum number of exchanges kept that show that a requirement holds. */
const SHOWING = 2;

export class RequirementState {
  /** The requirement that is judged, from the catalogue. */
  readonly requirement: Requirement;
  /** Number of pieces of evidence judged, whether or not they comply. */
  observations = 0;
  /** Number of violations, including those beyond the 20 kept; excludes excused and inconclusive ones. */
  findingsTotal = 0;
  readonly #facts: { [K in keyof Facts]?: Timed<Facts[K]> } = {};
  #found: Found | null = null;
  #shown: ShownBy | null = null;
  readonly #tries = new Map<string, Outcomes>();

  constructor(requirement: Requirement) {
    this.requirement = requirement;
  }

  /** The earliest fact of this kind; null if there was none. */
  first<K extends keyof Facts>(kind: K): Facts[K] | null {
    return this.#facts[kind]?.value ?? null;
  }

  /** The last exchanges of the evidence that completed first. */
  get shownBy(): readonly string[] {
    return this.#shown?.exchanges ?? [];
  }

  /** Operations whose responses violate the requirement; null for an unknown call. */
  get operationsAtFault(): ReadonlySet<string | null> {
    return this.#found?.operations ?? NONE;
  }

  /** In order; null if there are more than 1,000. */
  get exchangesAtFault(): readonly string[] | null {
    const exchanges: ReadonlySet<string> = this.#found?.exchanges ?? NONE;
    if (exchanges.size > AT_FAULT) return null;
    return [...exchanges].toSorted((a, b) => numberOf(a) - numberOf(b));
  }

  /** Sorted by exchange, then place. */
  get findings(): readonly Finding[] {
    return (this.#found?.findings ?? []).toSorted(compareInTrace).map(({ finding }) => finding);
  }

  /** Whether only answers to accepted invalid requests violate the requirement; any other finding would have been kept first. */
  get isProvoked(): boolean {
    const findings = this.#found?.findings ?? [];
    return findings.length > 0 && findings.every((one) => one.isProvoked === true);
  }

  /** `by`: the exchanges of the first evidence, the last of which completes it. */
  observe(times: number, by: readonly Pick<Exchange, 'id'>[]): void {
    this.observations += times;
    const order = numberOf(by.at(-1)?.id ?? '');
    if (order !== 0 && order < (this.#shown?.order ?? Infinity))
      this.#shown = { order, exchanges: by.slice(-SHOWING).map(({ id }) => id) };
  }

  /** `call` is null if unknown. `at`: how many exchanges have ended. */
  report(violation: Violation, { exchange, call, at: now }: Shown): void {
    if (violation.inconclusive !== undefined) {
      const value = inconclusive(violation.inconclusive, exchange, violation.actual);
      this.note('inconclusive', value, now, exchange);
      return;
    }
    this.findingsTotal += 1;
    const { operations, exchanges, findings } = this.#finding();
    operations.add(call?.operation.id ?? null);
    if (exchanges.size <= AT_FAULT) exchanges.add(exchange);
    const { at, expected, actual, causeId, closes } = violation;
    const order = numberOf(exchange);
    const isAside = this.requirement.kind !== 'rejected' && call?.exchange.probe?.side === 'violation';
    const last = findings.at(-1);
    const isLate =
      last !== undefined && compareFindings(last, { order, isAside, finding: { at, expected } }) < 0;
    const signature = findingSignature(causeId ?? this.requirement.id, call, at, actual);
    if (findings.length === KEPT && isLate && firstOf(findings, signature) !== -1) return;
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

  /** Records the outcome of evidence that chance may decide. `requests`: equal for evidence of the same requests. */
  tried(requests: string, outcomes: Outcomes): void {
    const known = this.#tries.get(requests) ?? outcomes;
    if (this.#tries.size >= TRIES && !this.#tries.has(requests)) return;
    this.#tries.set(requests, known === outcomes ? outcomes : 'both');
  }

  /** Whether the same requests met the requirement once, and violated it another time. */
  get haveTriesDiffered(): boolean {
    return [...this.#tries.values()].includes('both');
  }

  /** Records a fact; the earliest is kept. `at`: how many exchanges have ended. `exchange`: the one that shows it, if one does. */
  note<K extends keyof Facts>(kind: K, value: Facts[K], at: number, exchange = ''): void {
    this.#keep(kind, { at, by: numberOf(exchange), value });
  }

  /** Returns the results as plain data; null if there are none. */
  part() {
    const { inconclusive, blocked, fault, excuse } = this.#facts;
    const hasFacts = Object.keys(this.#facts).length > 0;
    if (this.observations === 0 && this.findingsTotal === 0 && !hasFacts) return null;
    return {
      observations: this.observations,
      ...(this.#tries.size > 0 && { tries: [...this.#tries] }),
      ...(this.#shown !== null && { shown: this.#shown }),
      ...(this.#found !== null && {
        found: {
          total: this.findingsTotal,
          findings: [...this.#found.findings],
          operations: [...this.#found.operations],
          exchanges: [...this.#found.exchanges],
        },
      }),
      ...(inconclusive !== undefined && { inconclusive }),
      ...(blocked !== undefined && { blocked }),
      ...(fault !== undefined && { fault }),
      ...(excuse !== undefined && { excuse: { ...excuse, value: excuse.value.id } }),
    };
  }

  /** Adds the results of another part of the traffic. `errata`: those of the active dialect. */
  absorb(part: NonNullable<ReturnType<RequirementState['part']>>, errata: readonly Erratum[]): void {
    this.observations += part.observations;
    for (const [requests, outcomes] of part.tries ?? []) this.tried(requests, outcomes);
    if (part.shown !== undefined && part.shown.order < (this.#shown?.order ?? Infinity))
      this.#shown = part.shown;
    for (const kind of ['inconclusive', 'blocked', 'fault'] as const) this.#keep(kind, part[kind]);
    const excuse = errata.find(({ id }) => id === part.excuse?.value);
    if (excuse !== undefined && part.excuse !== undefined)
      this.#keep('excuse', { ...part.excuse, value: excuse });
    if (part.found === undefined) return;
    this.findingsTotal += part.found.total;
    const { operations, exchanges, findings } = this.#finding();
    for (const operation of part.found.operations) operations.add(operation);
    for (const exchange of part.found.exchanges) if (exchanges.size <= AT_FAULT) exchanges.add(exchange);
    for (const entry of part.found.findings) keepFinding(findings, entry);
  }

  #keep<K extends keyof Facts>(kind: K, fact: Timed<Facts[K]> | undefined): void {
    if (fact !== undefined) Object.assign(this.#facts, { [kind]: earlier(this.#facts[kind] ?? null, fact) });
  }

  #finding(): Found {
    this.#found ??= { operations: new Set(), exchanges: new Set(), findings: [] };
    return this.#found;
  }
}

interface Found {
  readonly operations: Set<string | null>;
  readonly exchanges: Set<string>;
  readonly findings: PlacedFinding[];
}

const NONE: ReadonlySet<never> = new Set();

function keepFinding(findings: PlacedFinding[], entry: PlacedFinding): void {
  const place = findings.findIndex((other) => compareFindings(entry, other) < 0);
  findings.splice(place === -1 ? findings.length : place, 0, entry);
  if (findings.length <= KEPT) return;
  const repeated = findings.findLastIndex((one, n) => n > firstOf(findings, one.finding.signature));
  findings.splice(repeated === -1 ? KEPT : repeated, 1);
}

function firstOf(findings: readonly PlacedFinding[], signature: string): number {
  return findings.findIndex(({ finding }) => finding.signature === signature);
}

/** Whether evidence met the requirement. */
type Outcomes = 'met' | 'violated' | 'both';

/** Facts by kind; a state keeps the earliest of each. */
interface Facts {
  /** Why evidence decided nothing. */
  readonly inconclusive: Cause;
  /** An exchange that prevented evidence, with its obstacle. */
  readonly blocked: { readonly exchange: string; readonly obstacle: Obstacle };
  /** Message of an error thrown by a check in assay. */
  readonly fault: string;
  /** The erratum that excused a violation. */
  readonly excuse: Erratum;
}

interface Shown {
  readonly exchange: string;
  readonly call: Call | null;
  readonly at: number;
}

export interface ShownBy {
  /** Number of the exchange that completes the evidence. */
  readonly order: number;
  /** The last exchanges of the evidence, at most two. */
  readonly exchanges: readonly string[];
}

function inconclusive(
  kind: NonNullable<Violation['inconclusive']>,
  exchange: string,
  actual: Violation['actual'],
): Cause {
  if (kind === 'capacity') return { kind, exchange, arrival: null };
  const status = typeof actual === 'number' ? actual : null;
  const answered = { exchange, arrival: { what: 'answered', status } } as const;
  return kind === 'protocol' || kind === 'authentication' ? { kind, ...answered } : { kind, exchange };
}

interface FindingOrder {
  /** Number of the exchange. */
  readonly order: number;
  /** The request breaks a rule on purpose, and the requirement is about something else: other findings are kept first. */
  readonly isAside: boolean;
  readonly finding: Pick<Finding, 'at' | 'expected'>;
}

export interface PlacedFinding extends FindingOrder {
  /** The target accepted the invalid request. */
  readonly isProvoked?: true;
  /** As in the verdict. */
  readonly finding: Finding;
}

function compareFindings(a: FindingOrder, b: FindingOrder): number {
  return a.isAside === b.isAside ? compareInTrace(a, b) : Number(a.isAside) - Number(b.isAside);
}

function compareInTrace(a: FindingOrder, b: FindingOrder): number {
  if (a.order !== b.order) return a.order - b.order;
  if (a.finding.at !== b.finding.at)
    return NUMBERS.compare(a.finding.at, b.finding.at) || (a.finding.at < b.finding.at ? -1 : 1);
  if (a.finding.expected === b.finding.expected) return 0;
  return a.finding.expected < b.finding.expected ? -1 : 1;
}

const NUMBERS = new Intl.Collator('en', { numeric: true });

/**
 * A short digest of the requirement, operation variant, place, and class of the actual value. A defect has the same signature in
 * every run, whether a stream or a whole response shows it.
 */
function findingSignature(id: string, call: Call | null, at: string, actual: Json | undefined): string {
  const variant = call === null ? '' : `${call.operation.id} ${call.variant?.name ?? '?'}`;
  // The place without indexes, the number of its event, and names that a model may have written.
  const hasAnyName = id.split('#', 1)[0]?.includes('*') === true;
  const place = hasAnyName ? '' : at.replace(/^event \d+ (?=\/)/, '').replaceAll(/\d+/g, '[]');
  return createHash('sha256')
    .update(JSON.stringify([id, variant, place, classOf(id, actual)]))
    .digest('hex')
    .slice(0, 12);
}

function classOf(id: string, actual: Json | undefined): string {
  if (actual === undefined) return 'absent';
  // A status alone and a status with the first event of its stream count as the same response.
  if (typeof actual === 'string' && STATUS_AND_EVENT.test(actual)) return 'number';
  const kind = jsonKindOf(actual);
  const listed = id.endsWith('#enum') || id.endsWith('#const');
  return listed && kind !== 'object' && kind !== 'array' ? JSON.stringify(actual) : kind;
}

/** The actual value that `ProbeEvaluator` reports for a stream. */
const STATUS_AND_EVENT = /^\d{3}, then event /;

/** Limits for a value in a finding, because a target determines its size: levels, values, characters. */
const DEPTH = 32;
const VALUES = 1_000;
const CHARACTERS = 10_000;

/** Replaces a value that is too deep or too large for a finding by a description. */
function truncateValue(value: Json): Json {
  if (typeof value === 'string' && value.length > CHARACTERS) return `${value.slice(0, CHARACTERS)}…`;
  if (
    typeof value !== 'object' ||
    value === null ||
    fitsInFinding(value, DEPTH, { values: VALUES, characters: CHARACTERS })
  )
    return value;
  return Array.isArray(value)
    ? `an array of ${value.length} elements, too large to show`
    : `an object with ${Object.keys(value).length} members, too large to show`;
}

function fitsInFinding(value: Json, depth: number, left: { values: number; characters: number }): boolean {
  left.values -= 1;
  if (typeof value === 'string') left.characters -= value.length;
  if (depth === 0 || left.values < 0 || left.characters < 0) return false;
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every((inner) => fitsInFinding(inner, depth - 1, left));
}
