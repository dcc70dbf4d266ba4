// Selects the scenarios of a requirement among those that show it: many scenarios upload a file or create an assistant,
// and a run of one requirement should not need all of them.
import { isScenario } from '../../drive/scenario/scenario.ts';
import { type Catalogue, requirementsOf } from '../../judge/requirements/catalogue.ts';

export interface EvidenceSubject {
  readonly id: string;
  /** The kind of a requirement, or `choice`. */
  readonly kind: string;
  readonly families: readonly string[];
  readonly operations: readonly string[];
}

export function attributeScenarios(
  { scenarios }: Catalogue,
  { kind, families, operations }: EvidenceSubject,
  showingScenarios: readonly string[],
): readonly string[] {
  const related = preferMatching(
    scenarios.filter(isScenario).filter(({ name }) => showingScenarios.includes(name)),
    (one) => families.includes(one.family) || one.operations.some((id) => operations.includes(id)),
  );
  // Any request is evidence of acceptance, and whether a probe counts as evidence depends only on its label.
  const allowsProbes = kind === 'accepted' || kind === 'rejected';
  const chosen = allowsProbes ? related : preferMatching(related, ({ probes }) => probes !== true);
  return chosen.map(({ name }) => name).toSorted();
}

export function subjectsOf(catalogue: Catalogue): readonly EvidenceSubject[] {
  const choices = catalogue.choices.map(({ id, selector: { operations } }) => {
    return { id, kind: 'choice', families: [], operations };
  });
  return [...requirementsOf(catalogue).values(), ...choices];
}

/** The preferred elements, or all if none is preferred. */
function preferMatching<T>(elements: readonly T[], isPreferred: (element: T) => boolean): readonly T[] {
  const preferred = elements.filter(isPreferred);
  return preferred.length === 0 ? elements : preferred;
}
