// Decides which of the scenarios that show a requirement count as its scenarios: nearly all of them upload a file or create an
// assistant, and a run of one requirement is not to send them all.
import { isScenario, type Scenario } from '../../drive/scenario/scenario.ts';
import { type Catalogue, requirementsOf } from '../../judge/requirements/catalogue.ts';

/** Whom a requirement or choice concerns. */
interface Subject {
  readonly id: string;
  /** The kind of a requirement, or `choice`. */
  readonly kind: string;
  readonly families: readonly string[];
  readonly operations: readonly string[];
}

/** The names of the scenarios of a requirement or choice among those that show it. */
export type Attribution = (id: string, showing: readonly string[]) => readonly string[];

/** The attribution of the requirements and choices of a catalogue; ids that it does not have belong to no scenario. */
export function attribution(catalogue: Catalogue): Attribution {
  const subjects = new Map(subjectsOf(catalogue).map((subject) => [subject.id, subject]));
  const scenarios = new Map(catalogue.scenarios.filter(isScenario).map((one) => [one.name, one]));
  return (id, showing) => {
    const subject = subjects.get(id);
    if (subject === undefined) return [];
    const all = showing.flatMap((name) => scenarios.get(name) ?? []);
    const near = preferred(all, (one) => isNear(one, subject));
    // Each request is evidence of acceptance; whether a probe shows one of these depends on its label alone.
    const ofProbes = subject.kind === 'accepted' || subject.kind === 'rejected';
    const chosen = ofProbes ? near : preferred(near, ({ probes }) => probes !== true);
    return chosen.map(({ name }) => name).toSorted();
  };
}

/** Whether a scenario is of the family of a requirement, or exercises one of its operations. */
function isNear(scenario: Scenario, { families, operations }: Subject): boolean {
  return families.includes(scenario.family) || scenario.operations.some((id) => operations.includes(id));
}

/** Those that fulfil a condition; all where none does. */
function preferred<T>(all: readonly T[], isPreferred: (one: T) => boolean): readonly T[] {
  const found = all.filter(isPreferred);
  return found.length === 0 ? all : found;
}

function subjectsOf(catalogue: Catalogue): readonly Subject[] {
  const choices = catalogue.choices.map(({ id, selector }) => {
    const { operations } = selector;
    return { id, kind: 'choice', families: [], operations };
  });
  return [...requirementsOf(catalogue).values(), ...choices];
}
