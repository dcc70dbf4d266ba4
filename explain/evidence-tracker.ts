// Reports missing evidence: on every target that conforms, the scenarios of assay show certain requirements. If a scenario ran
// and one of them has no evidence, the report names the scenario and what it received instead.
import { matchesAnyGlob } from '../exchange/glob.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import { NearestEvidence, ReceivedByScenario, type ReceivedPart } from '../judge/coverage/received.ts';
import type { RequirementState } from '../judge/requirement-state.ts';
import {
  type Catalogue,
  type ExpectedEvidence,
  freeEvidenceOf,
  type Requirement,
  takenAway,
} from '../judge/requirements/catalogue.ts';

import type { Needed } from '../judge/requirements/needed.ts';
import type { Call } from '../judge/trace/call.ts';
import type { ExpectedFrom } from '../judge/verdict/cause.ts';
import type { ScenarioHistory } from '../judge/verdict/scenario-history.ts';
import type { ChoiceVerdict } from '../judge/verdict/verdict.ts';

/** What a judge knows of a trace at its end. */
export interface JudgedEvidence {
  readonly states: ReadonlyMap<string, RequirementState>;
  readonly choices: readonly ChoiceVerdict[];
  readonly history: ScenarioHistory;
}

/** Finds the requirements that a run of assay should have shown. Traffic of others, and of other versions, should show nothing. */
export class EvidenceTracker {
  readonly #catalogue: Catalogue;
  readonly #expected: ExpectedEvidence | null;
  readonly #received: ReceivedByScenario;
  /** Of what nothing shows: the evidence that came nearest. */
  readonly nearest: NearestEvidence;

  constructor(catalogue: Catalogue, { tool }: TraceHeader) {
    const { expectedEvidence: expected = null, scenarios } = catalogue;
    this.#catalogue = catalogue;
    this.#expected = expected?.version === tool.version ? expected : null;
    this.#received = new ReceivedByScenario(this.#expected === null ? [] : scenarios.map(({ name }) => name));
    this.nearest = new NearestEvidence(this.#expected?.scenarios ?? new Map());
  }

  /** Remembers what the scenario of a call received. `at`: how many exchanges have ended. */
  call(call: Call, at: number): void {
    this.#received.call(call, at);
  }

  /** The content of a partial verdict. */
  part(): ReceivedPart {
    return this.#received.part();
  }

  /** Adds what was received in another part of the traffic. */
  absorb(part: ReceivedPart): void {
    this.#received.absorb(part);
  }

  /** Returns, for the trace as judged, whether the evidence of a requirement was to be expected, and from which scenario. */
  among({ states, choices, history }: JudgedEvidence) {
    const scenariosOf = this.#showing(states, choices);
    return {
      /** Whether a scenario shows the requirement on every target that conforms. */
      isExpected: ({ id }: Requirement): boolean => scenariosOf(id).length > 0,
      /** Ids of the valid requests of a scenario that were refused. */
      refusedIn: (scenario: string): readonly string[] => this.#received.refusedIn(scenario),
      /** Those that ran to their end. */
      scenarios: ({ id }: Requirement): readonly string[] =>
        scenariosOf(id).filter((name) => history.completed(name)),
      /** The first such scenario that ran to its end, and how many others did; null where none did. */
      from: ({ id, operations }: Requirement): ExpectedFrom | null => {
        const completed = scenariosOf(id).filter((name) => history.completed(name));
        const [scenario] = completed;
        if (scenario === undefined) return null;
        const nearest = this.nearest.of(id);
        const needed = this.#needed(id, nearest?.met);
        return {
          scenario,
          ...(completed.length > 1 && { scenarios: completed.length }),
          received: this.#received.of(completed, operations),
          ...(needed !== null && { needed }),
          ...(nearest !== undefined && { nearest: nearest.exchanges }),
        };
      },
    };
  }

  /** Returns the scenarios that show a requirement on every target which conforms, and takes the same alternatives. */
  #showing(states: JudgedEvidence['states'], choices: readonly ChoiceVerdict[]) {
    const taken = new Map(choices.map(({ id, taken: alternatives }) => [id, alternatives]));
    const { freeEvidence: free = [], choices: points } = this.#catalogue;
    const away = takenAway(points, taken);
    const find = (id: string): readonly string[] => {
      const scenarios = this.#expected?.scenarios.get(id) ?? [];
      if (scenarios.length === 0 || isPartOfMissingField(id, states)) return [];
      return freeEvidenceOf(free, id) !== undefined || matchesAnyGlob(away, id) ? [] : scenarios;
    };
    // Thousands of requirements of a small cassette have no evidence, and each is asked about several times.
    const known = new Map<string, readonly string[]>();
    return (id: string): readonly string[] => {
      const scenarios = known.get(id) ?? find(id);
      known.set(id, scenarios);
      return scenarios;
    };
  }

  #needed(id: string, met: number | undefined): Needed | null {
    for (const set of this.#catalogue.requirementSets) {
      const needed = set.needed?.(id, met) ?? null;
      if (needed !== null) return needed;
    }
    return null;
  }
}

/**
 * Whether a requirement is about a field, or a part of a field, that answers must have and do not: that fails already, or a
 * dialect excuses it.
 */
function isPartOfMissingField(id: string, states: JudgedEvidence['states']): boolean {
  const place = id.slice(0, Math.max(0, id.indexOf('#')));
  if (place === '') return false;
  const ends = [...place.matchAll(/\.|\[|$/g)].map(({ index }) => index);
  return ends.some((end) => {
    const field = place.slice(0, end);
    const [required, expected] = [states.get(`${field}#required`), states.get(`${field}#expected`)];
    const isExcused = (required?.excuse ?? expected?.excuse ?? null) !== null;
    return isExcused || (required?.findingsTotal ?? 0) > 0;
  });
}
