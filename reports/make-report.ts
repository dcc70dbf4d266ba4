import { claimedNames } from '../exchange/claims.ts';
import { TOOL } from '../exchange/tool.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import type { FreeRequirement } from '../judge/requirements/catalogue.ts';
import type { Exclusion, JudgedSide } from '../judge/requirements/requirement.ts';
import type { GateResult } from '../judge/verdict/gate-result.ts';
import type { Judgement, RequirementVerdict } from '../judge/verdict/verdict.ts';
import type { MutationScore, Report, ReportedRequirement } from './report.ts';
import { countOperations, countVerdicts } from './selection.ts';
import { causeWords, obstacleWords } from './words/cause.ts';
import { diagnosisWords } from './words/diagnosis.ts';
import { disturbedLine } from './words/disturbed.ts';
import { gateWords } from './words/gate-reason.ts';
import { hintWords } from './words/hint.ts';

export interface ReportInput {
  /** Header of the judged traffic: the target, the claims and the settings. */
  readonly header: TraceHeader;
  /** Who was judged. Default `server`. */
  readonly side?: JudgedSide;
  /** The result of judging: verdicts, choices, causes of refusals, hints. */
  readonly judgement: Judgement;
  /** The decision on the exit code. */
  readonly gate: GateResult;
  /** Whether stale entries of the baseline fail the gate. Default false. */
  readonly strictBaseline?: boolean;
  /** Sentences of the specification that no black-box test can judge. */
  readonly exclusions: readonly Exclusion[];
  /** MUSTs whose evidence depends on a free decision of the target. Default: none. */
  readonly freeEvidence?: readonly FreeRequirement[];
  /** Duration of driving and judging; null if not measured, as for a cassette. */
  readonly seconds: number | null;
  /** When the first request was sent, ISO 8601 in UTC; null or absent if unknown. */
  readonly date?: string | null;
  /** Path of the cassette relative to the report; null if there is none. */
  readonly cassette: string | null;
  /** Mutation score of the suite. Default null. */
  readonly proof?: MutationScore | null;
}

export function makeReport(input: ReportInput): Report {
  const { header, judgement, gate, side = 'server' } = input;
  const hints = judgement.hints ?? [];
  return {
    format: 1,
    tool: TOOL,
    target: header.target,
    ...(side !== 'server' && { side }),
    date: input.date ?? null,
    stopReason: judgement.stopReason,
    summary: {
      verdict: gate.verdict,
      exitCode: gate.exitCode,
      reasons: gate.reasons.map(gateWords),
      causes: gate.reasons,
      strictBaseline: input.strictBaseline ?? false,
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

/** The fields are in the order of `report.json`. */
function reportRequirement(requirement: RequirementVerdict): ReportedRequirement {
  const { id, kind, family, operations, level, basis, spec, says, verdict, cause } = requirement;
  const reason = cause === null ? null : causeWords(cause);
  const facts = { id, kind, family, operations, level, basis, spec, says, verdict, reason, cause };
  return Object.assign(facts, { consequenceOf: [] }, requirement);
}
