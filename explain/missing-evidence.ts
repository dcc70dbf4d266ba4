// Finds evidence that completed scenarios give on every conforming target, but did not give on this one.
import { matchesAnyGlob } from '../exchange/glob.ts';
import type { JudgedTraffic } from '../judge/judged-traffic.ts';
import {
  type ExpectedEvidence,
  expectedEvidenceOf,
  freeEvidenceOf,
  type Requirement,
  type SuppressingAlternative,
  suppressingAlternatives,
} from '../judge/requirements/catalogue.ts';
import type { ChosenAlternative, ExpectedFrom } from '../judge/verdict/cause.ts';
import { operation } from '../schemas/index.ts';
import { getOrMake } from '../schemas/maps.ts';
import { neededFor } from './needed-evidence.ts';

/** Expects nothing of traffic that is not a run of this version of assay. */
export class MissingEvidence {
  readonly #facts: JudgedTraffic;
  readonly #expectedEvidence: ExpectedEvidence | null;
  readonly #suppressingAlternatives: readonly SuppressingAlternative[];
  /** Cached, because each of thousands of requirements is looked up several times. */
  readonly #scenarios = new Map<string, readonly string[]>();

  constructor(facts: JudgedTraffic) {
    this.#facts = facts;
    this.#expectedEvidence = expectedEvidenceOf(facts.catalogue, facts.header);
    const takenByChoice = new Map(facts.choiceVerdicts().map((choice) => [choice.id, choice.taken]));
    this.#suppressingAlternatives = suppressingAlternatives(facts.catalogue.choices, takenByChoice);
  }

  isExpected({ id }: Requirement): boolean {
    return this.#scenariosShowing(id).length > 0;
  }

  findSuppressingChoice({ id }: Requirement): ChosenAlternative | null {
    const scenarios = this.#expectedEvidence?.scenarios.get(id) ?? [];
    if (!scenarios.some((name) => this.#facts.history.hasCompleted(name))) return null;
    const choice = this.#suppressingAlternatives.find(({ patterns }) => matchesAnyGlob(patterns, id));
    return choice === undefined ? null : { id: choice.id, alternative: choice.alternative };
  }

  completedScenarios({ id }: Requirement): readonly string[] {
    return this.#scenariosShowing(id).filter((name) => this.#facts.history.hasCompleted(name));
  }

  expectedFrom(requirement: Requirement): ExpectedFrom | null {
    const completed = this.completedScenarios(requirement);
    const [scenario] = completed;
    if (scenario === undefined) return null;
    const { catalogue, received } = this.#facts;
    const nearest = this.#facts.nearest.nearest(requirement.id);
    const needed = neededFor(catalogue, requirement.id, nearest?.met);
    return {
      scenario,
      ...(completed.length > 1 && { scenarios: completed.length }),
      received: received.receivedBy(completed, requirement.operations),
      ...(needed !== null && { needed }),
      ...(nearest !== undefined && { nearest: nearest.exchanges }),
    };
  }

  /** Scenarios that show a requirement on every conforming target that takes the same alternatives as this one. */
  #scenariosShowing(id: string): readonly string[] {
    return getOrMake(this.#scenarios, id, () => this.#findScenariosShowing(id));
  }

  #findScenariosShowing(id: string): readonly string[] {
    const scenarios = this.#expectedEvidence?.scenarios.get(id) ?? [];
    if (scenarios.length === 0 || isPartOfMissingField(id, this.#facts.states)) return [];
    if (this.#isOfRefusedVersion(id)) return [];
    const isFree = freeEvidenceOf(this.#facts.catalogue.freeEvidence ?? [], id) !== undefined;
    const isSuppressed = this.#suppressingAlternatives.some(({ patterns }) => matchesAnyGlob(patterns, id));
    return isFree || isSuppressed ? [] : scenarios;
  }

  #isOfRefusedVersion(id: string): boolean {
    const { version } = this.#facts.header.claims;
    const operations = this.#facts.states.get(id)?.requirement.operations ?? [];
    return (
      version !== undefined &&
      operations.some((operationId) =>
        operation(operationId)
          .variants.filter(({ counted }) => counted)
          .every(({ beta }) => beta !== null && beta !== `assistants=${version}`),
      )
    );
  }
}

function isPartOfMissingField(id: string, states: JudgedTraffic['states']): boolean {
  const place = id.slice(0, Math.max(0, id.indexOf('#')));
  if (place === '') return false;
  const ends = [...place.matchAll(/\.|\[|$/g)].map(({ index }) => index);
  return ends.some((end) => {
    const field = place.slice(0, end);
    const [required, expected] = [states.get(`${field}#required`), states.get(`${field}#expected`)];
    const isExcused = [required, expected].some(
      (state) => state !== undefined && state.first('excuse') !== null,
    );
    return isExcused || (required?.findingsTotal ?? 0) > 0;
  });
}
