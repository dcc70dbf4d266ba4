import type { Json } from '../../../exchange/http/body.ts';
import { setValue } from '../../mutations/values.ts';
import { carriedTrees } from '../../schema/carried-schemas.ts';
import { jsonKindOf } from '../../schema/json-kinds.ts';
import type { SchemaNode } from '../../schema/tree/node.ts';
import { walkTree } from '../../schema/tree/walk.ts';
import { byShape } from './by-shape.ts';
import type { EquivalentMutant } from './equivalent-mutant.ts';

const EXTRA: Json = { nobody: ['asked', 1, null] };

/** An unknown field in every object of every answer; only maps, whose keys are data, are left as they are. */
export function extraFields(betaHeader: string): EquivalentMutant {
  return byShape('an unknown field in every object', betaHeader, grown);
}

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
  return [...places]
    .filter((at) => !maps.has(at))
    .reduce((changed, at) => setValue(`${at}/x_unknown_field`, EXTRA)(changed), value);
}

function isMap(node: SchemaNode): boolean {
  return node.values !== null || node.keys !== null;
}
