// The specification lets responses carry unknown fields, so no requirement may fail on one.
import type { Json } from '../../../exchange/http/body.ts';
import { setValue } from '../../mutations/values.ts';
import { carriedTrees } from '../../schema/carried-schemas.ts';
import { jsonKindOf } from '../../schema/json-kinds.ts';
import type { SchemaNode } from '../../schema/tree/node.ts';
import { walkTree } from '../../schema/tree/walk.ts';
import { byShape } from './by-shape.ts';
import type { EquivalentMutant } from './equivalent-mutant.ts';

/** Nested, so that it also shows whether values of unknown fields are ignored. */
const EXTRA: Json = { unexpected: ['value', 1, null] };

/** An unknown field in every object of every response. Maps, whose keys are data, stay unchanged. */
export function extraFields(betaHeader: string): EquivalentMutant {
  return byShape('an unknown field in every object', betaHeader, grown);
}

/** The value with the field added in every object that its schema describes. */
function grown(schema: string, value: Json): Json {
  const places = new Set<string>();
  const maps = new Set<string>();
  walkTree(carriedTrees(), schema, value, {
    visit: (node, here, at) => {
      if (jsonKindOf(here) !== 'object') return;
      if (isMap(node)) maps.add(at);
      else if (node.members.length > 0) places.add(at);
    },
    breach: () => {},
  });
  return (
    [...places]
      // A place can be reached through several branches of a union; where one of them is a map, a new key would
      // be data.
      .filter((at) => !maps.has(at))
      .reduce((changed, at) => setValue(`${at}/x_unknown_field`, EXTRA)(changed), value)
  );
}

/** True for an object whose keys the schema does not name. */
function isMap(node: SchemaNode): boolean {
  return node.values !== null || node.keys !== null;
}
