// The report, from which all formats are written. The judge supplies facts; `reports/` puts them into words.
import { claimedNames } from '../exchange/claims.ts';
import type { DisturbedAnswer } from '../exchange/disturbed.ts';
import type { Hint, StopReason } from '../exchange/note.ts';
import { escapeControlInJson } from '../exchange/printable.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import type { FreeRequirement } from '../judge/requirements/catalogue.ts';
import type { Exclusion, JudgedSide } from '../judge/requirements/requirement.ts';
import { isLeftOut } from '../judge/verdict/cause.ts';
import { countKnownFailures, isConsequence, openDiagnoses } from '../judge/verdict/failure-count.ts';
import { TOLERABLE, tolerableKind } from '../judge/verdict/gate.ts';
import type {
  ChoiceVerdict,
  DiagnosisVerdict,
  ErratumVerdict,
  GateReason,
  GateResult,
  Judgement,
  OperationVerdict,
  RequirementVerdict,
  StateMachineCoverage,
  Tolerable,
  Verdict,
} from '../judge/verdict/verdict.ts';
import { getOrMake } from '../schemas/maps.ts';
import { formatNumber, plural } from '../schemas/quantities.ts';
import { sortByDamage } from './damage.ts';
import { causeWords, diagnosisWords, obstacleWords } from './words/cause.ts';
import { disturbedLine } from './words/disturbed.ts';
import { gateWords } from './words/gate-reason.ts';
import { hintWords } from './words/hint.ts';
import { present } from './words/text.ts';

export interface ReportInput {
  /** What was judged, and with which settings. */
  readonly header: TraceHeader;
  /** Who was judged. Default `server`. */
  readonly side?: JudgedSide;
  /** The verdicts. */
  readonly judgement: Judgement;
  /** The decision on the exit code. */
  readonly gate: GateResult;
  /** Sentences of the specification that no black-box test can judge. */
  readonly exclusions: readonly Exclusion[];
  /** MUSTs whose evidence depends on a free decision of the target. Default: none. */
  readonly freeEvidence?: readonly FreeRequirement[];
  /** Duration of driving and judging; null if not measured, as for a cassette. */
  readonly seconds: number | null;
  /** When the first request was sent, ISO 8601 in UTC; null if unknown. */
  readonly date?: string | null;
  /** Path of the cassette relative to the report; null if there is none. */
  readonly cassette: string | null;
  /** Mutation score of the suite. Default null. */
  readonly proof?: MutationScore | null;
}

export interface MutationScore {
  /** Number of traces broken on purpose, each to violate one requirement. */
  readonly mutants: number;
  /** Number of mutants that made their requirement fail. */
  readonly killed: number;
  /** Number of undetected or ineffective mutants, undetected alternatives and kinds without a mutant; no exceptions. */
  readonly survived: number;
  /** Number of harmless changes that changed the trace. */
  readonly benign: number;
  /** Number of harmless changes for which a requirement failed. */
  readonly accused: number;
  /** Number of requirements with at least one mutant. */
  readonly requirements: number;
}

export type VerdictCounts = Readonly<Record<'total' | Verdict, number>>;

export interface ReportedRequirement extends RequirementVerdict {
  /** `cause` as a sentence; null without a cause. */
  readonly reason: string | null;
}

/** `report.json`, as `report.schema.json` describes it. Fields are in the order of the file. */
export interface Report {
  /** Version of the format. */
  readonly format: 1;
  /** Name and version of the tool that wrote the report. */
  readonly tool: TraceHeader['tool'];
  /** The service, or the recording. */
  readonly target: TraceHeader['target'];
  /** Absent if only the service was judged. */
  readonly side?: Exclude<JudgedSide, 'server'>;
  /** When the first request was sent: `2026-01-31T09:30:00Z`. Null if unknown, absent in older reports. */
  readonly date?: string | null;
  /** `completed`, or why the run ended early. */
  readonly stopReason: StopReason;
  /** The result in a few numbers. */
  readonly summary: {
    /** The verdict of the gate. */
    readonly verdict: GateResult['verdict'];
    /** 0: conforms; 1: does not conform; 2: cannot tell. */
    readonly exitCode: GateResult['exitCode'];
    /** `causes` in words. */
    readonly reasons: readonly string[];
    /** Why the verdict is not a plain pass. */
    readonly causes: readonly GateReason[];
    /** Requirements by verdict. */
    readonly requirements: VerdictCounts;
    /** Numbers of operations, each counted once however many variants it has. */
    readonly operations: { readonly total: number; readonly claimed: number; readonly exercised: number };
  };
  /** Claimed families, then single operations. */
  readonly claims: readonly string[];
  /** The dialect, with what it excuses. */
  readonly dialect: {
    /** `specification` without a dialect. */
    readonly name: string;
    /** Ids of excused requirements. */
    readonly excused: readonly string[];
    /** Errata that were used. */
    readonly errata: readonly ErratumVerdict[];
  };
  /** Extensions in effect; absent without any. */
  readonly extensions?: NonNullable<TraceHeader['extensions']>;
  /** The cost of the traffic to the target. */
  readonly cost: {
    /** Number of requests. */
    readonly requests: number;
    /** Bytes of bodies in both directions. */
    readonly bytes: number;
    /** Tokens that responses report. */
    readonly tokens: number;
    /** Duration; null if not measured, as for a recording. */
    readonly seconds: number | null;
  };
  /** Why valid requests are refused, the largest cause first. Absent in older reports. */
  readonly diagnoses?: readonly (DiagnosisVerdict & { readonly message: string })[];
  /** All requirements, sorted by id. */
  readonly requirements: readonly ReportedRequirement[];
  /** The choices, with the alternatives that the target takes. */
  readonly choices: readonly ChoiceVerdict[];
  /** Sentences of the specification that no black-box test can judge. */
  readonly exclusions: readonly Exclusion[];
  /** MUSTs whose evidence depends on a free decision of the target. */
  readonly freeEvidence: readonly FreeRequirement[];
  /** One row per operation and variant. */
  readonly operations: readonly OperationVerdict[];
  /** The parts of the specification that a client used. Absent if no client was judged. */
  readonly usage?: NonNullable<Judgement['usage']>;
  /** Reactions of a client to responses that `--disturb` changed or delayed. Absent if there were none. */
  readonly disturbances?: readonly (DisturbedAnswer & { readonly message: string })[];
  /** States and transitions of objects that the traffic shows. */
  readonly states: readonly StateMachineCoverage[];
  /** Obstacles to evidence, most damaging first. */
  readonly blockers: readonly (Judgement['blockers'][number] & { readonly message: string })[];
  /** `hints` as sentences. */
  readonly remarks: readonly string[];
  /** Observations about the run as data; `remarks` has the sentences. */
  readonly hints: readonly Hint[];
  /** Path of the recording, relative to the report; null without one. */
  readonly cassette: string | null;
  /** Mutation score of the suite; null if unknown. */
  readonly proof: MutationScore | null;
}

export function makeReport(input: ReportInput): Report {
  const { header, judgement, gate, side = 'server' } = input;
  const hints = judgement.hints ?? [];
  return {
    format: 1,
    tool: header.tool,
    target: header.target,
    ...(side !== 'server' && { side }),
    date: input.date ?? null,
    stopReason: judgement.stopReason,
    summary: {
      verdict: gate.verdict,
      exitCode: gate.exitCode,
      reasons: gate.reasons.map(gateWords),
      causes: gate.reasons,
      requirements: countVerdicts(judgement.requirements),
      operations: countOperations(judgement.operations),
    },
    claims: claimedNames(header.claims),
    ...(header.extensions !== undefined && { extensions: header.extensions }),
    dialect: {
      name: header.dialect?.name ?? 'specification',
      excused: judgement.requirements.filter(({ verdict }) => verdict === 'excused').map(({ id }) => id),
      errata: judgement.errata,
    },
    cost: { ...judgement.cost, seconds: input.seconds },
    diagnoses: (judgement.diagnoses ?? []).map((one) => ({ message: diagnosisWords(one), ...one })),
    requirements: judgement.requirements.map(reportRequirement),
    choices: judgement.choices,
    exclusions: input.exclusions,
    freeEvidence: input.freeEvidence ?? [],
    operations: judgement.operations,
    ...(judgement.usage !== undefined && { usage: judgement.usage }),
    ...(judgement.disturbances !== undefined && {
      disturbances: judgement.disturbances.map((one) => ({ message: disturbedLine(one), ...one })),
    }),
    states: judgement.states ?? [],
    blockers: judgement.blockers.map((one) => ({ ...one, message: obstacleWords(one.obstacle) })),
    remarks: hints.map(hintWords),
    hints,
    cassette: input.cassette,
    proof: input.proof ?? null,
  };
}

/** A requirement for the report; its fields are in the order of the file. */
function reportRequirement(requirement: RequirementVerdict): ReportedRequirement {
  const { id, kind, family, operations, level, basis, spec, says, verdict, cause, ...evidence } = requirement;
  const reason = cause === null ? null : causeWords(cause);
  const facts = { id, kind, family, operations, level, basis, spec, says, verdict, reason, cause };
  return { ...facts, consequenceOf: [], ...evidence };
}

export function judgedParty({ side }: Pick<Report, 'side'>): string {
  return side === 'client' ? 'the client' : 'the target';
}

export function reportJson(report: Report): string {
  return `${escapeControlInJson(JSON.stringify(report, null, 1))}\n`;
}

export function countVerdicts(requirements: readonly RequirementVerdict[]): VerdictCounts {
  const counts = { total: 0, pass: 0, fail: 0, warn: 0, untested: 0, inconclusive: 0, excused: 0, error: 0 };
  for (const { verdict } of requirements) {
    counts.total += 1;
    counts[verdict] += 1;
  }
  return counts;
}

/** Counts an operation once even if it has a row per variant. */
export function countOperations(operations: readonly OperationVerdict[]): Report['summary']['operations'] {
  const countIds = (rows: readonly OperationVerdict[]) => new Set(rows.map(({ id }) => id)).size;
  const claimed = operations.filter((row) => row.claimed);
  return {
    total: countIds(operations),
    claimed: countIds(claimed),
    exercised: countIds(claimed.filter(({ exercised }) => exercised > 0)),
  };
}

/** Leaves out requirements that were not claimed or were filtered out, because they say nothing about the target. */
export function requirementsInScope<R extends RequirementVerdict>(requirements: readonly R[]): readonly R[] {
  return getOrMake(scopes, requirements, () =>
    requirements.filter(({ verdict, cause }) => verdict !== 'untested' || !isLeftOut(cause)),
  ) as readonly R[]; // as: some of these requirements
}

const scopes = new WeakMap<readonly RequirementVerdict[], readonly RequirementVerdict[]>();

/**
 * The requirements with the given verdict that nothing excuses and that are not consequences of a cause, most damaging
 * first. `openCauses` lists causes of refusals and what fails because of them.
 */
export function unexcusedRequirements(
  report: Report,
  verdict: 'fail' | 'warn',
): readonly ReportedRequirement[] {
  const brokenByCauses = new Set(
    openCauses(report).flatMap(({ operations }) => operations.map(({ requirement }) => requirement)),
  );
  const tolerated = new Set(toleratedFailures(report));
  return sortByDamage(
    report.requirements.filter(
      (one) =>
        one.verdict === verdict &&
        one.baseline === null &&
        !isConsequence(one) &&
        !brokenByCauses.has(one.id) &&
        !tolerated.has(one),
    ),
  );
}

/** Failures that `--tolerate` reports without failing the run. */
export function toleratedFailures({ requirements, summary }: Report): readonly ReportedRequirement[] {
  const tolerated = new Set<Tolerable | null>(
    TOLERABLE.filter((kind) => summary.causes.some((one) => one.kind === kind && one.tolerated)),
  );
  return tolerated.size === 0 ? [] : requirements.filter((one) => tolerated.has(tolerableKind(one)));
}

/** Why `withToleranceKnown` accepts a failure. */
const TOLERANCE_REASONS: Readonly<Record<Tolerable, string>> = {
  'lenient-validation': 'an accepted invalid request, tolerated by --tolerate lenient-validation',
  clients: 'relied on by clients, tolerated by --tolerate clients',
};

/** The report with tolerated failures as known ones, for formats in which a failure turns a dashboard red. */
export function withToleranceKnown(report: Report): Report {
  const tolerated = new Set(toleratedFailures(report));
  if (tolerated.size === 0) return report;
  const requirements = report.requirements.map((one) =>
    tolerated.has(one)
      ? { ...one, baseline: TOLERANCE_REASONS[tolerableKind(one) ?? 'lenient-validation'] }
      : one,
  );
  return { ...report, requirements };
}

/** The causes of refusals that the baseline does not accept, the largest first. */
export function openCauses({ diagnoses = [], requirements }: Report): readonly DiagnosisVerdict[] {
  return openDiagnoses(diagnoses, requirements);
}

export function knownFailures(report: Report): readonly ReportedRequirement[] {
  return report.requirements.filter(
    ({ baseline, verdict }) => baseline !== null && verdict !== 'inconclusive',
  );
}

/** `611 of 640 requirements pass, 63 of 63 operations exercised`: no score appears without coverage. */
export function scoreLine(report: Report): string {
  const counts = countVerdicts(requirementsInScope(report.requirements));
  const { operations } = report.summary;
  return (
    `${formatNumber(counts.pass)} of ${formatNumber(counts.total)} requirements pass, ` +
    `${operations.exercised} of ${operations.claimed} operations exercised`
  );
}

export function verdictWords(report: Report): string {
  return report.summary.verdict.replaceAll('-', ' ');
}

/** The verdict on one line, always with its exceptions: `conforms with 2 known failures`. */
export function verdictSentence(report: Report): string {
  const known = countKnownFailures(report);
  const knownCount = known.count || known.consequences;
  const accepted = report.summary.causes.find(({ kind }) => kind === 'accepted-undecided');
  const undecidedCount = accepted !== undefined && 'count' in accepted ? accepted.count : 0;
  const lenientCount = toleratedCount(report, 'lenient-validation');
  const reliedOnCount = toleratedCount(report, 'clients');
  const exceptions = present(
    knownCount > 0 && plural(knownCount, 'known failure'),
    undecidedCount > 0 && `${plural(undecidedCount, 'MUST')} not decided`,
    reliedOnCount > 0 && `${plural(reliedOnCount, 'broken requirement')} that clients rely on`,
    lenientCount > 0 && `${plural(lenientCount, 'kind')} of invalid requests accepted`,
  ).join(' and ');
  if (exceptions === '') return verdictWords(report);
  return `${verdictWords(report)}${report.summary.verdict === 'conforms' ? ' with' : ', plus'} ${exceptions}`;
}

/** The reasons below the verdict; a pass already states its known failures and accepted undecided MUSTs. */
export function furtherReasons({ summary }: Report): readonly string[] {
  const { verdict, causes, reasons } = summary;
  if (verdict !== 'conforms') return reasons;
  return reasons.filter((_, n) => !['known-failures', 'accepted-undecided'].includes(causes[n]?.kind ?? ''));
}

function toleratedCount({ summary }: Report, kind: Tolerable): number {
  const found = summary.causes.find((one) => one.kind === kind && one.tolerated);
  return found !== undefined && 'count' in found ? found.count : 0;
}

export function conformsWithExceptions(report: Report): boolean {
  return report.summary.verdict === 'conforms' && verdictSentence(report) !== verdictWords(report);
}
