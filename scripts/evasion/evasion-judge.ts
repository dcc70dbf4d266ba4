// Judges evasions: by the cheap part of the catalogue first, and by all of it only if that finds nothing.
import type { TraceHeader, TraceItem } from '../../exchange/trace.ts';
import { judgeTrace } from '../../explain/judge.ts';
import type { Catalogue } from '../../judge/requirements/catalogue.ts';
import { causeParts, isAcceptanceRequirement } from '../../judge/requirements/refusal-causes.ts';
import { REFUSED } from '../../judge/requirements/requirement.ts';
import { evaluateGate } from '../../judge/verdict/gate.ts';
import type { Judgement } from '../../judge/verdict/verdict.ts';
import type { ChangedTrace, HiddenAnswer } from './hidden-answers.ts';
import type { RecordedRun } from './recorded-run.ts';

/**
 * How an evasion ended, best first: caught by a cause of refusals, by another failure or by exit code 2; permitted by
 * an alternative of a choice or because the specification says nothing; or not caught.
 */
export const OUTCOMES = ['cause', 'failure', 'inconclusive', 'choice', 'unstated', 'green'] as const;

export interface EvasionVerdict {
  readonly outcome: (typeof OUTCOMES)[number];
  /**
   * If it was caught, the ids of causes or requirements, and the kinds of gate reasons. If it is permitted, the choices
   * with their alternatives, or the id of the unstated point. Empty if it was not caught.
   */
  readonly by: readonly string[];
}

/** Maximum number of changed responses that are judged first; if one violates a schema, nothing else is judged. */
const MAX_JUDGED_FIRST = 30;

export class EvasionJudge {
  readonly #catalogue: Catalogue;
  readonly #acceptance: Catalogue;
  readonly #schemas: Catalogue;
  readonly #run: RecordedRun;
  readonly #usualAlternatives: ReadonlyMap<string, readonly string[]>;

  /** Throws if the run does not conform. */
  constructor(catalogue: Catalogue, run: RecordedRun) {
    this.#catalogue = catalogue;
    const requirementSets = catalogue.requirementSets.filter(({ requirements }) =>
      requirements.some(({ id }) => isAcceptanceRequirement(id)),
    );
    // The other choices cannot permit a refusal.
    const choices = catalogue.choices.filter(({ alternatives }) => alternatives.includes(REFUSED));
    this.#acceptance = { ...catalogue, requirementSets, choices };
    const schemas = catalogue.requirementSets.filter(({ requirements }) =>
      requirements.every(({ kind }) => kind === 'schema'),
    );
    this.#schemas = { ...catalogue, requirementSets: schemas, choices: [] };
    this.#run = run;
    const judgement = this.#judge(run.header, run.items);
    if (gateOf(judgement).exitCode !== 0)
      throw new Error(
        'The run does not conform, so evasions of it would show nothing: record a conforming run.',
      );
    this.#usualAlternatives = alternativesByChoice(judgement);
  }

  /** Judges only whether valid requests are accepted; null if no MUST fails. */
  judgeRefusals(items: readonly TraceItem[]): EvasionVerdict | null {
    const { header, calls } = this.#run;
    const causes = failuresIn(judgeTrace(this.#acceptance, header, items, calls));
    return causes.length === 0 ? null : { outcome: 'cause', by: causes };
  }

  /** Judges a trace whose responses of one operation show less: the responses, their relations, then everything. */
  judgeHidden({ items, changed }: ChangedTrace, { operation }: HiddenAnswer): EvasionVerdict {
    const { header, calls } = this.#run;
    const alone = failuresIn(judgeTrace(this.#schemas, header, changed.slice(0, MAX_JUDGED_FIRST)));
    if (alone.length > 0) return { outcome: 'failure', by: alone };
    const failures = failuresIn(judgeTrace(this.#catalogueOf(operation), header, items, calls));
    if (failures.length > 0) return { outcome: 'failure', by: failures };
    return this.judgeAll(items);
  }

  #catalogueOf(operation: string): Catalogue {
    const touched = new Set([operation]);
    const requirementSets = this.#catalogue.requirementSets.flatMap((set) => set.touching?.(touched) ?? []);
    return { ...this.#catalogue, requirementSets, choices: [] };
  }

  /** `header`: the header of the trace, if it is from another run. */
  judgeAll(items: readonly TraceItem[], header: TraceHeader = this.#run.header): EvasionVerdict {
    const judgement = this.#judge(header, items);
    const { exitCode, reasons } = gateOf(judgement);
    const kinds = reasons.map(({ kind }) => kind);
    const failures = failuresIn(judgement);
    if (exitCode === 1) {
      const isCause = failures.some((id) => isAcceptanceRequirement(causeParts(id)?.requirement ?? id));
      return { outcome: isCause ? 'cause' : 'failure', by: [...failures, ...kinds] };
    }
    if (exitCode !== 0) return { outcome: 'inconclusive', by: [...inconclusiveIn(judgement), ...kinds] };
    const choices = this.#unusualChoices(judgement);
    return { outcome: choices.length > 0 ? 'choice' : 'green', by: choices };
  }

  #unusualChoices(judgement: Judgement): readonly string[] {
    return [...alternativesByChoice(judgement)].flatMap(([id, taken]) => {
      const others = taken.filter(
        (alternative) => this.#usualAlternatives.get(id)?.includes(alternative) !== true,
      );
      return others.map((alternative) => `${id}: ${alternative}`);
    });
  }

  #judge(header: TraceHeader, items: readonly TraceItem[]): Judgement {
    return judgeTrace(this.#catalogue, header, items, this.#run.calls);
  }
}

function gateOf(judgement: Judgement) {
  return evaluateGate(judgement, { failOn: 'must', allowInconclusive: false });
}

function alternativesByChoice({ choices }: Judgement): ReadonlyMap<string, readonly string[]> {
  return new Map(choices.map(({ id, taken }) => [id, taken]));
}

/** Ids of the MUSTs that fail; the cause of the first finding, if it has one, replaces the id. */
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
