import { flattenSelector } from '../judge/evidence/selector-dispatch.ts';
import { probedSides } from '../judge/probe/request-constraints.ts';
import type { Catalogue, RequirementSet } from '../judge/requirements/catalogue.ts';
import type {
  Needed,
  NeededCondition,
  NeededEvidence,
  NeededForm,
  NeededValue,
} from '../judge/requirements/needed.ts';
import { isAcceptanceRequirement } from '../judge/requirements/refusal-causes.ts';
import type { Evidence, Selector } from '../judge/requirements/requirement.ts';
import { responseConstraints } from '../judge/schema/response-schemas.ts';
import { conditionalRuleIn } from '../judge/schema/sentence.ts';
import { JSON_KINDS, jsonKindOfType } from '../judge/trace/json.ts';
import type { JsonSchema } from '../schemas/index.ts';
import { isJsonObject } from '../schemas/json.ts';

/** Keywords for which reports mention types only if some permitted types do not count. */
const ANY_TYPE_KEYWORDS = ['type', 'const', 'enum', 'required', 'expected'];

/**
 * The evidence that a selector needs, up to the first condition that nothing met. `met`: how many conditions the
 * nearest evidence met; undefined if there was none. Null for a union, and if a part of the result lacks `needs`.
 */
function neededEvidence(selector: Selector<Evidence>, met: number | undefined): NeededEvidence | null {
  const [only, ...others] = flattenSelector(selector);
  if (only === undefined || others.length > 0) return null;
  const { base, conditions } = only;
  const inner =
    base.around === undefined
      ? { evidence: base.needs, conditions: [] }
      : neededEvidence(base.around, Number.POSITIVE_INFINITY);
  const neededConditions = (met === undefined ? [] : conditions.slice(0, met + 1)).map(({ needs }) => needs);
  return inner?.evidence === undefined || !neededConditions.every((one) => one !== undefined)
    ? null
    : { evidence: inner.evidence, conditions: [...inner.conditions, ...neededConditions] };
}

/** Null unless the requirement is a constraint of a response schema. */
export function neededValue(id: string): NeededValue | null {
  const constraint = responseConstraints().get(id);
  if (constraint === undefined) return null;
  const { keyword, kinds, node, value } = constraint;
  const place = { schema: id.slice(0, id.indexOf(':')), path: node.path };
  const rule = conditionalRuleIn(value);
  if (rule !== null) return { ...place, conditions: conditionsOf(rule.condition, '') };
  const permitted = node.types ?? JSON_KINDS;
  const types = permitted.filter((type) => kinds.includes(jsonKindOfType(type)));
  return ANY_TYPE_KEYWORDS.includes(keyword) && types.length === permitted.length
    ? place
    : { ...place, types };
}

const NEEDED_FORMS: Readonly<Record<string, NeededForm['form']>> = {
  'answer#contentType': 'json',
  'answer#json': 'json',
  'stream#contentType': 'stream',
  'stream#json': 'event',
};

function conditionsOf({ properties }: JsonSchema, prefix: string): readonly NeededCondition[] {
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, property]): readonly NeededCondition[] => {
    const field = `${prefix}${name}`;
    if (!isJsonObject(property)) return [];
    const { const: only, enum: values, type, minItems, properties: inner } = property;
    if (typeof minItems === 'number') return [{ kind: 'list', field, least: minItems }];
    const present = { kind: 'field', of: 'value', field, is: 'present' } as const;
    if (only !== undefined) return [{ ...present, values: [only] }];
    if (Array.isArray(values)) return [{ ...present, values }];
    if (inner !== undefined) return conditionsOf(property, `${field}.`);
    return [{ ...present, types: JSON_KINDS.filter((one) => one === type) }];
  });
}

/** Null if the set of the requirement describes no evidence. */
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
      const form = NEEDED_FORMS[id.slice(id.indexOf(':') + 1)];
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
