import { carriedConstraints } from '../schema/carried-schemas.ts';
import { JSON_KINDS, jsonKindOfType } from '../schema/json-kinds.ts';
import { conditionalRuleIn } from '../schema/sentence.ts';
import type { NeededValue } from '../verdict/cause.ts';

/** Keywords whose evidence needs no word on the type, unless the place permits a type that does not show them. */
const OF_ANY_TYPE = ['type', 'const', 'enum', 'required', 'expected'];

/**
 * The value that an answer has to contain to show a constraint of its schema: one that counts as an observation. Null for a rule
 * across properties, which is shown where its condition holds, and for requirements that are no constraint.
 */
export function neededValue(id: string): NeededValue | null {
  const constraint = carriedConstraints().get(id);
  if (constraint === undefined || conditionalRuleIn(constraint.value) !== null) return null;
  const { keyword, kinds, node } = constraint;
  // Of an absent member, this is the object that lacks it.
  const place = { schema: id.slice(0, id.indexOf(':')), path: node.path };
  const permitted = node.types ?? JSON_KINDS;
  const types = permitted.filter((type) => kinds.includes(jsonKindOfType(type)));
  return OF_ANY_TYPE.includes(keyword) && types.length === permitted.length ? place : { ...place, types };
}
