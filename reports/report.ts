// The report, from which all formats are written. The judge supplies facts; `reports/` puts them into words.
import type { DisturbedAnswer } from '../exchange/disturbed.ts';
import type { Hint, StopReason } from '../exchange/note.ts';
import { escapeControlInJson } from '../exchange/printable.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import type { FreeRequirement } from '../judge/requirements/catalogue.ts';
import type { Exclusion, JudgedSide } from '../judge/requirements/requirement.ts';
import type { StateMachineCoverage } from '../judge/verdict/coverage.ts';
import type { GateReason, GateResult } from '../judge/verdict/gate-result.ts';
import type {
  ChoiceVerdict,
  DiagnosisVerdict,
  ErratumVerdict,
  Judgement,
  OperationVerdict,
  RequirementVerdict,
  Verdict,
} from '../judge/verdict/verdict.ts';

export interface MutationScore {
  /** Number of traces broken on purpose, each to violate one requirement. */
  readonly mutants: number;
  /** Number of mutants that made their requirement fail. */
  readonly killed: number;
  /** Number of unexcused cases: undetected mutants or choice examples, ineffective mutants, kinds without mutants. */
  readonly survived: number;
  /** Number of equivalent mutants that changed the trace. */
  readonly benign: number;
  /** Number of equivalent mutants on which a requirement failed or lost its evidence. */
  readonly accused: number;
  /** Number of requirements with at least one mutant. */
  readonly requirements: number;
}

export type VerdictCounts = Readonly<Record<'total' | Verdict, number>>;

export interface ReportedRequirement extends RequirementVerdict {
  /** `cause` in words; null without a cause. */
  readonly reason: string | null;
}

/** `report.json`, as `report.schema.json` describes it. Fields are in the order of the file. */
export interface Report {
  /** Version of the format. */
  readonly format: 1;
  /** Name and version of the program that judged; that of a recorder is in its cassette. */
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
    readonly verdict: GateResult['verdict'];
    /** 0: conforms; 1: does not conform; 2: cannot tell. */
    readonly exitCode: GateResult['exitCode'];
    /** `causes` in words. */
    readonly reasons: readonly string[];
    readonly causes: readonly GateReason[];
    /** Whether stale entries of the baseline fail the gate, as with `--strict-baseline`. Absent in older reports. */
    readonly strictBaseline?: boolean;
    readonly requirements: VerdictCounts;
    /** Numbers of operations, each counted once however many variants it has. */
    readonly operations: { readonly total: number; readonly claimed: number; readonly exercised: number };
  };
  /** Claimed families, then single operations. */
  readonly claims: readonly string[];
  /** Extensions in effect; absent without any. */
  readonly extensions?: NonNullable<TraceHeader['extensions']>;
  /** The dialect, with what it excuses. */
  readonly dialect: {
    /** `specification` without a dialect. */
    readonly name: string;
    readonly excused: readonly string[];
    readonly errata: readonly ErratumVerdict[];
  };
  /** The cost of the traffic to the target. */
  readonly cost: {
    readonly requests: number;
    /** Bytes of bodies in both directions. */
    readonly bytes: number;
    readonly tokens: number;
    /** Duration; null if not measured, as for a recording. */
    readonly seconds: number | null;
  };
  /** Why valid requests are refused, in the order of `RefusalCauses.diagnoses`. Absent in older reports. */
  readonly diagnoses?: readonly (DiagnosisVerdict & { readonly message: string })[];
  /** All requirements, sorted by id. */
  readonly requirements: readonly ReportedRequirement[];
  /** The choices, with the alternatives that the target takes. */
  readonly choices: readonly ChoiceVerdict[];
  /** Sentences of the specification that no black-box test can judge. */
  readonly exclusions: readonly Exclusion[];
  /** MUSTs whose evidence depends on a free decision of the target. */
  readonly freeEvidence: readonly FreeRequirement[];
  /** One row per operation and family. */
  readonly operations: readonly OperationVerdict[];
  /** The parts of the specification that a client used. Absent if no client was judged. */
  readonly usage?: NonNullable<Judgement['usage']>;
  /** Reactions of a client to responses that `--disturb` changed or delayed. Absent if there were none. */
  readonly disturbances?: readonly (DisturbedAnswer & { readonly message: string })[];
  /** States and transitions of objects, stated or observed, with how often the traffic shows each. */
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

export function reportJson(report: Report): string {
  return `${escapeControlInJson(JSON.stringify(report, null, 1))}\n`;
}
