// Which scenario of a run shows which requirement, as known before the run: generated from runs on the reference.
import { matchesGlob } from '../../exchange/glob.ts';
import type { Choice, Evidence } from '../requirements/requirement.ts';

/** The evidence that scenarios of one version of assay provide on every target that conforms. */
export interface ExpectedEvidence {
  /** Version of assay that has these scenarios: traces of other versions expect nothing. */
  readonly version: string;
  /** Names of the scenarios, each of which shows the requirement alone, by id of the requirement. */
  readonly scenarios: ReadonlyMap<string, readonly string[]>;
}

/** Requirements whose evidence rests on a free decision, so that a run that does not show it says nothing. */
export interface FreeEvidence {
  /** Requirement id, with `*`. */
  readonly free: string;
  /** Who decides: the model that answers, or the service in front of it. */
  readonly decides: 'model' | 'service';
  /** The decision, as a sentence without a full stop. */
  readonly reason: string;
}

/** The declaration that a requirement's evidence is free; undefined where it is expected. */
export function freeEvidenceOf(free: readonly FreeEvidence[], id: string): FreeEvidence | undefined {
  return free.find((one) => matchesGlob(one.free, id));
}

/** Patterns of the requirements that are left without evidence by the alternatives that the target takes. */
export function takenAway(
  choices: readonly Choice<Evidence>[],
  taken: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  return choices.flatMap((choice) =>
    (taken.get(choice.id) ?? []).flatMap((name) => choice.takesAway?.[alternativeNamed(choice, name)] ?? []),
  );
}

/** The alternative of the ledger that a name as reported is, or counts as; the name itself where it counts as none. */
export function alternativeNamed(
  { alternatives, unlisted }: Pick<Choice<Evidence>, 'alternatives' | 'unlisted'>,
  name: string,
): string {
  return alternatives.includes(name) ? name : (unlisted ?? name);
}
