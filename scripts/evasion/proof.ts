import type { TraceHeader, TraceItem } from '../../exchange/trace.ts';
import { judgeTrace } from '../../explain/judge.ts';
import type { Catalogue } from '../../judge/requirements/catalogue.ts';
import { isAcceptanceRequirement } from '../../judge/requirements/refusals.ts';
import { REFUSED } from '../../judge/requirements/requirement.ts';
import { evaluateGate } from '../../judge/verdict/gate.ts';
import type { Judgement } from '../../judge/verdict/verdict.ts';
import { type Operation, operations } from '../../schemas/index.ts';
import { isConcernedBy } from '../changed.ts';
import { type ChangedTrace, type HiddenAnswer, hiddenAnswers, hiddenTrace } from './hidden-answers.ts';
import { type DistinctRequest, distinctRequests, type RecordedRun, refusedTrace } from './recorded-run.ts';
import { unstatedContent, unstatedRequest } from './unstated.ts';

export interface EvasionReport {
  /** Counts by kind; `refused-request` is each distinct valid request, refused wherever it is sent. */
  readonly kinds: Readonly<Record<string, Readonly<Record<EvasionVerdict['outcome'], number>>>>;
  /** Number of evasions that each alternative of a choice permits: `chat.message.null-content: refused`. */
  readonly choices: Readonly<Record<string, number>>;
  /** Number of evasions that each entry of `unstated.ts` permits. */
  readonly unstated: Readonly<Record<string, number>>;
  readonly green: readonly string[];
}

export interface Evasion {
  readonly kind: string;
  readonly name: string;
  readonly operation: string;
  /** Judges the evasion; null if it changes nothing. */
  readonly verdict: () => EvasionVerdict | null;
}

export interface TriedEvasion {
  readonly kind: string;
  readonly name: string;
  readonly verdict: EvasionVerdict;
}

/** Each distinct valid request, refused wherever it is sent. */
export function refusalsIn(judge: EvasionJudge, run: RecordedRun): readonly Evasion[] {
  return distinctRequests(run).map((request) => ({
    kind: 'refused-request',
    name: request.identity,
    operation: request.operation,
    verdict: () => {
      const verdict = verdictOfRefusal(judge, run, request);
      return verdict.outcome === 'green' ? unlessOpen(verdict, unstatedRequest(request)) : verdict;
    },
  }));
}

export function hidingsIn(judge: EvasionJudge, run: RecordedRun): readonly Evasion[] {
  return hiddenAnswers(run).map((hidden) => ({
    ...hidden,
    verdict: () => {
      const trace = hiddenTrace(run, hidden);
      if (trace === null) return null;
      const verdict = judge.judgeHidden(trace, hidden);
      const isCaught = verdict.outcome !== 'green' && verdict.outcome !== 'choice';
      return isCaught ? verdict : unlessOpen(verdict, unstatedContent(hidden));
    },
  }));
}

/** `unstated` if the specification leaves open what is refused or hidden. */
function unlessOpen(verdict: EvasionVerdict, open: { readonly id: string } | null): EvasionVerdict {
  return open === null ? verdict : { outcome: 'unstated', by: [open.id] };
}

/** Sorted by name for minimal diffs of the committed result. */
export function evasionReport(results: readonly TriedEvasion[]): EvasionReport {
  const kinds: Record<string, Record<EvasionVerdict['outcome'], number>> = {};
  const permitted: Record<'choice' | 'unstated', Record<string, number>> = { choice: {}, unstated: {} };
  for (const { kind, verdict } of results.toSorted((a, b) => (a.kind < b.kind ? -1 : 1))) {
    const { outcome, by } = verdict;
    kinds[kind] ??= { cause: 0, failure: 0, inconclusive: 0, choice: 0, unstated: 0, green: 0 };
    kinds[kind][outcome] += 1;
    if (outcome !== 'choice' && outcome !== 'unstated') continue;
    for (const name of by) permitted[outcome][name] = (permitted[outcome][name] ?? 0) + 1;
  }
  return {
    kinds,
    choices: sortedByName(permitted.choice),
    unstated: sortedByName(permitted.unstated),
    green: results.flatMap(({ kind, name, verdict }) =>
      verdict.outcome === 'green' ? [`${kind} ${name}`] : [],
    ),
  };
}

function sortedByName<V>(values: Readonly<Record<string, V>>): Readonly<Record<string, V>> {
  return Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The worse of two verdicts on a refusal: one for a scenario that continues, one for a scenario that ends there. */
export function verdictOfRefusal(
  judge: EvasionJudge,
  run: RecordedRun,
  { exchanges }: DistinctRequest,
): EvasionVerdict {
  const refused = new Set(exchanges);
  const blocked = refusedTrace(run, refused, 'blocked');
  // A cause that is found with a blocked scenario is also found with one that continues and shows more.
  const cause = judge.judgeRefusals(blocked);
  if (cause !== null) return cause;
  return worseVerdict(judge.judgeAll(blocked), judge.judgeAll(refusedTrace(run, refused, 'continues')));
}

function worseVerdict(one: EvasionVerdict, other: EvasionVerdict): EvasionVerdict {
  return OUTCOMES.indexOf(one.outcome) >= OUTCOMES.indexOf(other.outcome) ? one : other;
}

// Judging traces: the cheap part of the catalogue first, and all of it only if that finds nothing.

/**
 * How an evasion was caught, the clearest way first: by a cause of refusals, by another failure, by exit code 2. Or it was
 * permitted, by an alternative of a choice or because the specification says nothing; or it was not caught.
 */
export const OUTCOMES = ['cause', 'failure', 'inconclusive', 'choice', 'unstated', 'green'] as const;

export interface EvasionVerdict {
  readonly outcome: (typeof OUTCOMES)[number];
  /** Ids of the causes or requirements that caught it, or the choices that permit it, with their alternative. */
  readonly by: readonly string[];
}

/** Number of changed responses that are judged first: if most responses violate a requirement, one of these does, too. */
const MAX_JUDGED_FIRST = 30;

export class EvasionJudge {
  readonly #catalogue: Catalogue;
  readonly #acceptance: Catalogue;
  /** The requirements on single responses. */
  readonly #schemas: Catalogue;
  readonly #run: RecordedRun;
  /** The alternatives that the unchanged run takes, by choice. */
  readonly #usual: ReadonlyMap<string, readonly string[]>;

  /** Throws if the run does not conform. */
  constructor(catalogue: Catalogue, run: RecordedRun) {
    this.#catalogue = catalogue;
    const requirementSets = catalogue.requirementSets.filter(({ requirements }) =>
      requirements.some(({ id }) => isAcceptanceRequirement(id)),
    );
    // Only choices that may permit a refusal.
    const choices = catalogue.choices.filter(({ alternatives }) => alternatives.includes(REFUSED));
    this.#acceptance = { ...catalogue, requirementSets, choices };
    const schemas = catalogue.requirementSets.filter(({ requirements }) =>
      requirements.every(({ kind }) => kind === 'schema'),
    );
    this.#schemas = { ...catalogue, requirementSets: schemas, choices: [] };
    this.#run = run;
    const judgement = this.#judged(run.header, run.items);
    if (gateOf(judgement).exitCode !== 0)
      throw new Error('The run does not conform, so that evading shows nothing.');
    this.#usual = takenIn(judgement);
  }

  /** Judges only the causes of refusals; null if there are none. */
  judgeRefusals(items: readonly TraceItem[]): EvasionVerdict | null {
    const { header, calls } = this.#run;
    const causes = failuresIn(judgeTrace(this.#acceptance, header, items, calls));
    return causes.length === 0 ? null : { outcome: 'cause', by: causes };
  }

  /** Judges a trace in which responses of one operation show less: the changed responses, then their relations, then everything. */
  judgeHidden({ items, changed }: ChangedTrace, { operation }: HiddenAnswer): EvasionVerdict {
    const { header, calls } = this.#run;
    const alone = failuresIn(judgeTrace(this.#schemas, header, changed.slice(0, MAX_JUDGED_FIRST)));
    if (alone.length > 0) return { outcome: 'failure', by: alone };
    const failures = failuresIn(judgeTrace(this.#relatedTo(operation), header, items, calls));
    if (failures.length > 0) return { outcome: 'failure', by: failures };
    return this.judgeAll(items);
  }

  /** The behaviour requirements for which responses of one operation can be evidence. */
  #relatedTo(operation: string): Catalogue {
    const own = new Set([operation]);
    const requirementSets = this.#catalogue.requirementSets.flatMap((set) => set.touching?.(own) ?? []);
    return { ...this.#catalogue, requirementSets, choices: [] };
  }

  /** Judges all requirements. `header`: the header of the trace, if it is from another run. */
  judgeAll(items: readonly TraceItem[], header: TraceHeader = this.#run.header): EvasionVerdict {
    const judgement = this.#judged(header, items);
    const { exitCode, reasons } = gateOf(judgement);
    const kinds = reasons.map(({ kind }) => kind);
    const failures = failuresIn(judgement);
    if (exitCode === 1) {
      const isCause = failures.some((id) => id.includes(':accepts'));
      return { outcome: isCause ? 'cause' : 'failure', by: [...failures, ...kinds] };
    }
    if (exitCode !== 0) return { outcome: 'inconclusive', by: [...inconclusiveIn(judgement), ...kinds] };
    const choices = this.#unusual(judgement);
    return { outcome: choices.length > 0 ? 'choice' : 'green', by: choices };
  }

  #unusual(judgement: Judgement): readonly string[] {
    return [...takenIn(judgement)].flatMap(([id, taken]) => {
      const others = taken.filter((one) => this.#usual.get(id)?.includes(one) !== true);
      return others.map((one) => `${id}: ${one}`);
    });
  }

  #judged(header: TraceHeader, items: readonly TraceItem[]): Judgement {
    return judgeTrace(this.#catalogue, header, items, this.#run.calls);
  }
}

function gateOf(judgement: Judgement) {
  return evaluateGate(judgement, { failOn: 'must', allowInconclusive: false });
}

function takenIn({ choices }: Judgement): ReadonlyMap<string, readonly string[]> {
  return new Map(choices.map(({ id, taken }) => [id, taken]));
}

/** Ids of the MUSTs that fail, or of the causes for which they fail. */
function failuresIn({ requirements }: Judgement): readonly string[] {
  return requirements.flatMap(({ id, verdict, level, findings }) =>
    verdict === 'fail' && level === 'MUST' ? [findings[0]?.causeId ?? id] : [],
  );
}

function inconclusiveIn({ requirements }: Judgement): readonly string[] {
  return requirements.flatMap(({ id, verdict, level }) =>
    verdict === 'inconclusive' && level === 'MUST' ? [id] : [],
  );
}

// The operations whose evasions a change affects: those whose suites or schemas have changed.

/** Code that affects no verdict on a service, although other code in its folder does. */
const WITHOUT_EFFECT =
  /\.test\.ts$|\.md$|^judge\/(client|testing|dialects)\/|^proof\/|^suites\/(client|[^/]+\/equivalent-mutants)|exclusions\.json$|ledger\.json$/;

const PROOF_SOURCES = /^scripts\/evasion\//;

/** Ids of the operations whose evasions a change of these files affects. */
export function operationsConcernedBy(files: readonly string[]): ReadonlySet<string> {
  const code = files.filter((file) => !WITHOUT_EFFECT.test(file));
  const isConcerned = isConcernedBy(code);
  const isAll = code.some((file) => PROOF_SOURCES.test(file)) || isConcerned('any:constraint');
  return new Set(
    operations()
      .filter((operation) => isAll || folders(operation).some((folder) => isConcerned(`${folder}.`)))
      .map(({ id }) => id),
  );
}

/** The folders of suites that an operation may be in: the folder of its family, or the one that two versions share. */
function folders({ variants }: Operation): readonly string[] {
  return variants.flatMap(({ family }) => [
    family,
    family.replace(/-v\d$/, ''),
    family.replace(/-files$/, 's'),
  ]);
}
