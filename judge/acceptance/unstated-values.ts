import type { Json } from '../../exchange/http/body.ts';
import { childrenOf, type SchemaNode } from '../schema/node.ts';
import { collectVisits, type Visit } from '../schema/walk.ts';
import { jsonKindOf } from '../trace/json.ts';

/** Values, or lists with elements, of a form that the specification neither states nor shows. */
export function unstatedValues(tree: SchemaNode, value: Json): readonly Pick<Visit, 'at' | 'value'>[] {
  return collectVisits(tree, value).visits.flatMap((visit) =>
    isUnstated(visit.node, visit.value) ? [{ at: visit.at, value: visit.value }] : [],
  );
}

function isUnstated(node: SchemaNode, value: Json): boolean {
  if (value === null) return false;
  if (saysNothing(node)) return !isShown(node, [value]);
  return Array.isArray(value) && node.items === null && node.union === null && !isShown(node, value);
}

export function hasUnstated(node: SchemaNode): boolean {
  const { items, union, types } = node;
  const isUntypedList = types?.includes('array') === true && items === null && union === null;
  return saysNothing(node) || isUntypedList || childrenOf(node).some(hasUnstated);
}

function isShown({ notes }: SchemaNode, values: readonly Json[]): boolean {
  const shown = notes['x-shown'];
  return values.every((value) => Array.isArray(shown) && shown.includes(jsonKindOf(value)));
}

function saysNothing({ types, union, members, assertions, refs, notes }: SchemaNode): boolean {
  const isSilent = types === null && union === null && members.length + assertions.length + refs.length === 0;
  return isSilent && notes['x-open-enum'] === undefined;
}
