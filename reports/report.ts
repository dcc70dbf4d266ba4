// The report is the only input of all formats. Facts come from the judge; every sentence is made in this
// folder.

import { claimedNames } from '../exchange/claims.ts';
import type { DisturbedAnswer } from '../exchange/disturbed.ts';
import type { Hint, StopReason } from '../exchange/note.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import type { FreeRequirement } from '../judge/requirements/catalogue.ts';
import type { Exclusion, JudgedSide } from '../judge/requirements/requirement.ts';
import { isLeftOut } from '../judge/verdict/cause.ts';
import { isConsequence, openDiagnoses } from '../judge/verdict/failure-count.ts';
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
  Verdict,
} from '../judge/verdict/verdict.ts';
import { byDamage } from './failure/order.ts';
import { causeWords, obstacleWords } from './words/cause.ts';
import { diagnosisWords } from './words/diagnosis.ts';
import { disturbedLine } from './words/disturbed.ts';
import { formatBytes, formatNumber, plural } from './words/figure.ts';
import { gateWords } from './words/gate-reason.ts';
import { hintWords } from './words/hint.ts';

export { formatBytes, formatNumber, plural };

/** Input of a report; all formats are functions of the report alone. */
export interface ReportInput {
  readonly header: TraceHeader;
  /** The side that was judged; the service unless given. */
  readonly side?: JudgedSide;
  readonly judgement: Judgement;
  readonly gate: GateResult;
  readonly exclusions: readonly Exclusion[];
  /** Absent where none is known. */
  readonly freeEvidence?: readonly FreeRequirement[];
  /**
   * Duration of driving and judging; null if it was not measured, such as for a cassette that is judged later.
   */
  readonly seconds: number | null;
  /** When the first request was sent, ISO 8601 in UTC; null or absent where that is not known. */
  readonly date?: string | null;
  /** Path of the cassette relative to the report; null without a cassette. */
  readonly cassette: string | null;
  /** How the suite itself was proved, where that is known. */
  readonly proof?: MutationScore | null;
}

/** Result of mutation testing of the suite. */
export interface MutationScore {
  readonly mutants: number;
  /** Mutants whose requirement failed. */
  readonly killed: number;
  readonly survived: number;
  /** Harmless changes. */
  readonly benign: number;
  /** Harmless changes that some requirement objected to. */
  readonly accused: number;
  /** Requirements that were proved. */
  readonly requirements: number;
}

/** Requirements by verdict. */
export type VerdictCounts = Readonly<Record<'total' | Verdict, number>>;

/** A verdict with the words of its cause; `reason` is null where `cause` is. */
export interface ReportedRequirement extends RequirementVerdict {
  readonly reason: string | null;
}

/** `report.json`, as `report.schema.json` describes it. The order of the fields is the order in the file. */
export interface Report {
  readonly format: 1;
  readonly tool: TraceHeader['tool'];
  readonly target: TraceHeader['target'];
  /** The side that was judged beside or in place of the service; absent where the service alone was. */
  readonly side?: Exclude<JudgedSide, 'server'>;
  /** When the first request was sent: `2026-01-31T09:30:00Z`. Null where that is not known; absent in older reports. */
  readonly date?: string | null;
  readonly stopReason: StopReason;
  readonly summary: {
    readonly verdict: GateResult['verdict'];
    readonly exitCode: GateResult['exitCode'];
    /** The words of `causes`. */
    readonly reasons: readonly string[];
    readonly causes: readonly GateReason[];
    readonly requirements: VerdictCounts;
    readonly operations: { readonly total: number; readonly claimed: number; readonly exercised: number };
  };
  /** Names of families, then of single operations. */
  readonly claims: readonly string[];
  readonly dialect: {
    readonly name: string;
    /** Ids of requirements. */
    readonly excused: readonly string[];
    /** Those that were needed. */
    readonly errata: readonly ErratumVerdict[];
  };
  /** Extensions that were judged, too; absent for none. */
  readonly extensions?: NonNullable<TraceHeader['extensions']>;
  readonly cost: {
    readonly requests: number;
    readonly bytes: number;
    readonly tokens: number;
    readonly seconds: number | null;
  };
  /** Why valid requests are refused, the greatest cause first; `message` is in words. Absent in older reports. */
  readonly diagnoses?: readonly (DiagnosisVerdict & { readonly message: string })[];
  readonly requirements: readonly ReportedRequirement[];
  readonly choices: readonly ChoiceVerdict[];
  readonly exclusions: readonly Exclusion[];
  readonly freeEvidence: readonly FreeRequirement[];
  readonly operations: readonly OperationVerdict[];
  /** The parts of the specification that a client used; absent where no client was judged. */
  readonly usage?: NonNullable<Judgement['usage']>;
  /** Reactions of a client to answers that were spoiled on purpose, `message` in words; absent where none was. */
  readonly disturbances?: readonly (DisturbedAnswer & { readonly message: string })[];
  readonly states: readonly StateMachineCoverage[];
  /** Those of the judgement, each with the words of its obstacle. */
  readonly blockers: readonly (Judgement['blockers'][number] & { readonly message: string })[];
  /** The words of `hints`. */
  readonly remarks: readonly string[];
  readonly hints: readonly Hint[];
  readonly cassette: string | null;
  readonly proof: MutationScore | null;
}

function judgedBy({ claims, extensions }: TraceHeader): Pick<Report, 'claims' | 'extensions'> {
  return { claims: claimedNames(claims), ...(extensions !== undefined && { extensions }) };
}

/** The report of one judged trace. */
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
    ...judgedBy(header),
    dialect: {
      name: header.dialect?.name ?? 'specification',
      excused: judgement.requirements.filter(({ verdict }) => verdict === 'excused').map(({ id }) => id),
      errata: judgement.errata,
    },
    cost: { ...judgement.cost, seconds: input.seconds },
    diagnoses: diagnosesInWords(judgement),
    requirements: judgement.requirements.map(reported),
    choices: judgement.choices,
    exclusions: input.exclusions,
    freeEvidence: input.freeEvidence ?? [],
    operations: judgement.operations,
    ...ofClient(judgement),
    states: judgement.states ?? [],
    blockers: judgement.blockers.map(reportedBlocker),
    remarks: hints.map(hintWords),
    hints,
    cassette: input.cassette,
    proof: input.proof ?? null,
  };
}

/** The members of a report on a client, each where it is known. */
function ofClient({ usage, disturbances }: Judgement): Pick<Report, 'usage' | 'disturbances'> {
  const inWords = disturbances?.map((one) => ({ message: disturbedLine(one), ...one }));
  return {
    ...(usage !== undefined && { usage }),
    ...(inWords !== undefined && { disturbances: inWords }),
  };
}

/** None for a judgement of a version that did not diagnose. */
function diagnosesInWords({ diagnoses = [] }: Judgement): NonNullable<Report['diagnoses']> {
  return diagnoses.map((one) => ({ message: diagnosisWords(one), ...one }));
}

/** A blocker with the words of its obstacle. */
function reportedBlocker(blocker: Judgement['blockers'][number]): Report['blockers'][number] {
  return { ...blocker, message: obstacleWords(blocker.obstacle) };
}

/** The order of the fields is the order in the file. */
function reported(one: RequirementVerdict): ReportedRequirement {
  const { id, kind, family, operations, level, basis, spec, says, verdict, cause, ...evidence } = one;
  const reason = cause === null ? null : causeWords(cause);
  const facts = { id, kind, family, operations, level, basis, spec, says, verdict, reason, cause };
  return { ...facts, consequenceOf: [], ...evidence };
}

/** The subject of sentences on what was judged. */
export function judgedParty({ side }: Pick<Report, 'side'>): string {
  return side === 'client' ? 'the client' : 'the target';
}

/** The file `report.json`. */
export function reportJson(report: Report): string {
  return `${JSON.stringify(report, null, 1)}\n`;
}

/** How many requirements got which verdict. */
export function countVerdicts(requirements: readonly RequirementVerdict[]): VerdictCounts {
  const counts = { total: 0, pass: 0, fail: 0, warn: 0, untested: 0, inconclusive: 0, excused: 0, error: 0 };
  for (const { verdict } of requirements) {
    counts.total += 1;
    counts[verdict] += 1;
  }
  return counts;
}

/** Operations are counted once, though some have a row for each of their variants. */
export function countOperations(operations: readonly OperationVerdict[]): Report['summary']['operations'] {
  const distinct = (rows: readonly OperationVerdict[]) => new Set(rows.map(({ id }) => id)).size;
  const claimed = operations.filter((row) => row.claimed);
  return {
    total: distinct(operations),
    claimed: distinct(claimed),
    exercised: distinct(claimed.filter(({ exercised }) => exercised > 0)),
  };
}

/** Those that the run was meant to judge: what was not claimed, or was filtered out, says nothing about the target. */
export function requirementsInScope<R extends RequirementVerdict>(requirements: readonly R[]): readonly R[] {
  const found =
    inScope.get(requirements) ??
    requirements.filter(({ verdict, cause }) => verdict !== 'untested' || !isLeftOut(cause));
  inScope.set(requirements, found);
  return found as readonly R[]; // as: some of these requirements
}

/** Many tables of a report ask for the same. */
const inScope = new WeakMap<readonly RequirementVerdict[], readonly RequirementVerdict[]>();

/**
 * The requirements of one verdict that no baseline excuses and that fail for a reason of their own: causes of refusals,
 * and what fails for them alone, are listed by `openCauses`. What breaks clients comes first.
 */
export function unexcusedRequirements(
  report: Report,
  verdict: 'fail' | 'warn',
): readonly ReportedRequirement[] {
  const isOfCause = causesIn(report);
  return byDamage(
    report.requirements.filter(
      (one) => one.verdict === verdict && one.baseline === null && !isConsequence(one) && !isOfCause(one),
    ),
  );
}

/** The causes of refusals that no baseline excuses, the greatest first. */
export function openCauses({ diagnoses = [], requirements }: Report): readonly DiagnosisVerdict[] {
  return openDiagnoses(diagnoses, requirements);
}

/** Whether a requirement is broken by a cause that the report lists as open. */
function causesIn(report: Report): (one: RequirementVerdict) => boolean {
  const ids = new Set(
    openCauses(report).flatMap(({ operations }) => operations.map(({ requirement }) => requirement)),
  );
  return ({ id }) => ids.has(id);
}

/** The failures that the baseline accepts. */
export function knownFailures(report: Report): readonly ReportedRequirement[] {
  return report.requirements.filter(
    ({ baseline, verdict }) => baseline !== null && verdict !== 'inconclusive',
  );
}
