// On every conforming target, certain scenarios show certain requirements. If such a scenario ran without
// showing a requirement, the report names the scenario, what it received and what it needed.

import { matchesAnyGlob } from '../exchange/glob.ts';
import { unfolded } from '../judge/evidence/selector-dispatch.ts';
import type { JudgedTraffic } from '../judge/judged-traffic.ts';
import { probedSides } from '../judge/probe/constraints.ts';
import {
  type Catalogue,
  type ExpectedEvidence,
  expectedEvidenceOf,
  freeEvidenceOf,
  type Requirement,
  type RequirementSet,
  type TakenAway,
  takenAway,
} from '../judge/requirements/catalogue.ts';
import type {
  Needed,
  NeededCondition,
  NeededEvidence,
  NeededForm,
  NeededValue,
} from '../judge/requirements/needed.ts';
import { isAcceptanceRequirement } from '../judge/requirements/refusals.ts';
import type { Evidence, Selector } from '../judge/requirements/requirement.ts';
import { carriedConstraints } from '../judge/schema/carried-schemas.ts';
import { conditionalRuleIn } from '../judge/schema/sentence.ts';
import { JSON_KINDS, jsonKindOfType } from '../judge/trace/json.ts';
import type { ExpectedFrom, LeavesOpen } from '../judge/verdict/cause.ts';
import { getOrMake } from '../schemas/grouping.ts';
import { type JsonSchema, operation } from '../schemas/index.ts';
import { isJsonObject } from '../schemas/json.ts';

/** Finds requirements that a run should have shown. Other traffic, and runs of other versions, need not show any. */
export class MissingEvidence {
  readonly #facts: JudgedTraffic;
  readonly #expected: ExpectedEvidence | null;
  /** The alternatives that the target takes, with the patterns of requirements that they leave without evidence. */
  readonly #away: readonly TakenAway[];
  /** Cached, because each of thousands of requirements is looked up several times. */
  readonly #scenarios = new Map<string, readonly string[]>();

  constructor(facts: JudgedTraffic) {
    this.#facts = facts;
    this.#expected = expectedEvidenceOf(facts.catalogue, facts.header);
    const taken = new Map(facts.choiceVerdicts().map((choice) => [choice.id, choice.taken]));
    this.#away = takenAway(facts.catalogue.choices, taken);
  }

  isExpected({ id }: Requirement): boolean {
    return this.#showing(id).length > 0;
  }

  /** The alternative that leaves the requirement without evidence, in scenarios that ran to their end; null if none does. */
  choiceBehind({ id }: Requirement): LeavesOpen | null {
    const scenarios = this.#expected?.scenarios.get(id) ?? [];
    if (!scenarios.some((name) => this.#facts.history.completed(name))) return null;
    const choice = this.#away.find(({ patterns }) => matchesAnyGlob(patterns, id));
    return choice === undefined ? null : { id: choice.id, alternative: choice.alternative };
  }

  /** The scenarios that show the requirement elsewhere and ran to their end. */
  completedScenarios({ id }: Requirement): readonly string[] {
    return this.#showing(id).filter((name) => this.#facts.history.completed(name));
  }

  /** The first completed scenario that should show the requirement, with what all received; null for none. */
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

  /** Scenarios that show a requirement on every conforming target that makes the same choices. */
  #showing(id: string): readonly string[] {
    return getOrMake(this.#scenarios, id, () => this.#findShowing(id));
  }

  #findShowing(id: string): readonly string[] {
    const scenarios = this.#expected?.scenarios.get(id) ?? [];
    if (scenarios.length === 0 || isPartOfMissingField(id, this.#facts.states)) return [];
    if (this.#isOfOtherVersion(id)) return [];
    const isFree = freeEvidenceOf(this.#facts.catalogue.freeEvidence ?? [], id) !== undefined;
    const isAway = this.#away.some(({ patterns }) => matchesAnyGlob(patterns, id));
    return isFree || isAway ? [] : scenarios;
  }

  /** Whether the specification describes an operation of the requirement only in the version that the target does not serve. */
  #isOfOtherVersion(id: string): boolean {
    const { version } = this.#facts.header.claims;
    const operations = this.#facts.states.get(id)?.requirement.operations ?? [];
    return (
      version !== undefined &&
      operations.some((one) =>
        operation(one)
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

/**
 * The evidence that a selector needs, up to the first condition that nothing met. `met`: how many conditions the nearest
 * evidence met; undefined without any. Null if the selector or a condition does not describe its needs.
 */
function neededEvidence(selector: Selector<Evidence>, met: number | undefined): NeededEvidence | null {
  const [only, ...others] = unfolded(selector);
  if (only === undefined || others.length > 0) return null;
  const { whole, conditions } = only;
  const inner =
    whole.around === undefined
      ? { evidence: whole.needs, conditions: [] }
      : neededEvidence(whole.around, Number.POSITIVE_INFINITY);
  const own = (met === undefined ? [] : conditions.slice(0, met + 1)).map(({ needs }) => needs);
  return inner?.evidence === undefined || !own.every((one) => one !== undefined)
    ? null
    : { evidence: inner.evidence, conditions: [...inner.conditions, ...own] };
}

/** Keywords that apply to every type; reports then mention types only if some of the permitted ones do not count. */
const OF_ANY_TYPE = ['type', 'const', 'enum', 'required', 'expected'];

/** The value that a response must contain to show a schema constraint; null for any other requirement. */
export function neededValue(id: string): NeededValue | null {
  const constraint = carriedConstraints().get(id);
  if (constraint === undefined) return null;
  const { keyword, kinds, node, value } = constraint;
  const place = { schema: id.slice(0, id.indexOf(':')), path: node.path };
  const rule = conditionalRuleIn(value);
  if (rule !== null) return { ...place, conditions: conditionsIn(rule.condition, '') };
  const permitted = node.types ?? JSON_KINDS;
  const types = permitted.filter((type) => kinds.includes(jsonKindOfType(type)));
  return OF_ANY_TYPE.includes(keyword) && types.length === permitted.length ? place : { ...place, types };
}

const FORMS: Readonly<Record<string, NeededForm['form']>> = {
  'answer#contentType': 'json',
  'answer#json': 'json',
  'stream#contentType': 'stream',
  'stream#json': 'event',
};

function conditionsIn({ properties }: JsonSchema, before: string): readonly NeededCondition[] {
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, property]): readonly NeededCondition[] => {
    const field = `${before}${name}`;
    if (!isJsonObject(property)) return [];
    const { const: only, enum: values, type, minItems, properties: inner } = property;
    if (typeof minItems === 'number') return [{ kind: 'list', field, least: minItems }];
    const present = { kind: 'field', of: 'value', field, is: 'present' } as const;
    if (only !== undefined) return [{ ...present, values: [only] }];
    if (Array.isArray(values)) return [{ ...present, values }];
    if (inner !== undefined) return conditionsIn(property, `${field}.`);
    return [{ ...present, types: JSON_KINDS.filter((one) => one === type) }];
  });
}

export function neededFor(
  { requirementSets }: Pick<Catalogue, 'requirementSets'>,
  id: string,
  met: number | undefined,
): Needed | null {
  for (const set of requirementSets) {
    const needed = neededIn(set, id, met);
    if (needed !== null) return needed;
  }
  return null;
}

function neededIn(
  { origin, behaviours = [] }: RequirementSet,
  id: string,
  met: number | undefined,
): Needed | null {
  switch (origin) {
    case 'schema': {
      const form = FORMS[id.slice(id.indexOf(':') + 1)];
      return neededValue(id) ?? (form === undefined ? null : { form });
    }
    case 'probe': {
      const probed = probedSides().get(id);
      return probed === undefined ? null : { place: probed.constraint.pointer, side: probed.side };
    }
    case 'acceptance':
      return isAcceptanceRequirement(id) ? { place: null, side: 'accepted' } : null;
    case 'request':
      return null;
    case 'behaviour': {
      const selector = behaviours.find((one) => one.id === id)?.selector;
      return selector === undefined ? null : neededEvidence(selector, met);
    }
  }
}
