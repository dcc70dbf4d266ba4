// How the judge answers a trace of a service that evades: the cheap part of the catalogue first, all of it only where that finds
// nothing.
import type { TraceHeader, TraceItem } from '../../exchange/trace.ts';
import { judgeTrace } from '../../explain/judge.ts';
import type { Catalogue } from '../../judge/requirements/catalogue.ts';
import { isAcceptanceRequirement } from '../../judge/requirements/refusals.ts';
import { REFUSED } from '../../judge/requirements/requirement.ts';
import { evaluateGate } from '../../judge/verdict/gate.ts';
import type { Judgement } from '../../judge/verdict/verdict.ts';
import type { HiddenAnswer } from './hidden/hidden-answer.ts';
import type { ChangedTrace } from './hidden-answers.ts';
import type { RecordedRun } from './recorded-run.ts';

/**
 * What became of an evasion, from the clearest to none: a cause of refusals, another failure, no verdict (exit code 2), an
 * alternative of a choice that conforms, less of what the specification does not describe, nothing.
 */
export const OUTCOMES = ['cause', 'failure', 'inconclusive', 'choice', 'unstated', 'green'] as const;

/** The judgement of one evasion. */
export interface EvasionVerdict {
  readonly outcome: (typeof OUTCOMES)[number];
  /** Ids of the causes or requirements that caught it, or the choices that permit it with their alternative. */
  readonly by: readonly string[];
}

/** So many changed answers are judged by themselves: what one of them breaks, most of them break. */
const FEW = 30;

/** Judges changed traces of one run. */
export class EvasionJudge {
  readonly #catalogue: Catalogue;
  readonly #acceptance: Catalogue;
  /** The requirements on single answers. */
  readonly #schemas: Catalogue;
  readonly #run: RecordedRun;
  /** By choice the alternatives that the run takes without a change. */
  readonly #usual: ReadonlyMap<string, readonly string[]>;

  /** Throws where the run does not conform. */
  constructor(catalogue: Catalogue, run: RecordedRun) {
    this.#catalogue = catalogue;
    const requirementSets = catalogue.requirementSets.filter(({ requirements }) =>
      requirements.some(({ id }) => isAcceptanceRequirement(id)),
    );
    // Of the choices, those that may permit a refusal.
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

  /** The causes of refusals alone; null where none is found. */
  ofRefusals(items: readonly TraceItem[]): EvasionVerdict | null {
    const { header, calls } = this.#run;
    const causes = failuresIn(judgeTrace(this.#acceptance, header, items, calls));
    return causes.length === 0 ? null : { outcome: 'cause', by: causes };
  }

  /**
   * A trace in which answers of one operation show less. What the changed answers break by themselves is looked for first, then what
   * they break together with others; all requirements only where neither is found.
   */
  ofHidden({ items, changed }: ChangedTrace, { operation }: HiddenAnswer): EvasionVerdict {
    const { header, calls } = this.#run;
    const alone = failuresIn(judgeTrace(this.#schemas, header, changed.slice(0, FEW)));
    if (alone.length > 0) return { outcome: 'failure', by: alone };
    const failures = failuresIn(judgeTrace(this.#relatedTo(operation), header, items, calls));
    if (failures.length > 0) return { outcome: 'failure', by: failures };
    return this.ofAll(items);
  }

  /** The requirements on behaviour for which answers of one operation can be evidence. */
  #relatedTo(operation: string): Catalogue {
    const own = new Set([operation]);
    const requirementSets = this.#catalogue.requirementSets.flatMap((set) => set.touching?.(own) ?? []);
    return { ...this.#catalogue, requirementSets, choices: [] };
  }

  /** All requirements. `header`: of another run, where it is not the trace of this one that was changed. */
  ofAll(items: readonly TraceItem[], header: TraceHeader = this.#run.header): EvasionVerdict {
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

  /** Alternatives that the unchanged run does not take. */
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

/** The gate as `assay run` has it without options. */
function gateOf(judgement: Judgement) {
  return evaluateGate(judgement, { failOn: 'must', allowInconclusive: false });
}

/** The alternatives that a target takes, by id of the choice. */
function takenIn({ choices }: Judgement): ReadonlyMap<string, readonly string[]> {
  return new Map(choices.map(({ id, taken }) => [id, taken]));
}

/** Ids of the MUSTs that fail, or of the causes for which they fail. */
function failuresIn({ requirements }: Judgement): readonly string[] {
  return requirements.flatMap(({ id, verdict, level, findings }) =>
    verdict === 'fail' && level === 'MUST' ? [findings[0]?.causeId ?? id] : [],
  );
}

/** Ids of the MUSTs that could not be decided. */
function inconclusiveIn({ requirements }: Judgement): readonly string[] {
  return requirements.flatMap(({ id, verdict, level }) =>
    verdict === 'inconclusive' && level === 'MUST' ? [id] : [],
  );
}
