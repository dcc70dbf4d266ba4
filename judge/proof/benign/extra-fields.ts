import type { Json } from '../../../exchange/body.ts';
import { put } from '../../edit/values.ts';
import { kindOf } from '../../schema/kinds.ts';
import { carriedTrees } from '../../schema/library.ts';
import type { Node } from '../../schema/node.ts';
import { walk } from '../../schema/walk.ts';
import type { Benign } from './benign.ts';
import { byShape } from './by-shape.ts';

const EXTRA: Json = { nobody: ['asked', 1, null] };

/** An unknown field in every object of every answer; only maps, whose keys are data, are left as they are. */
export function extraFields(betaHeader: string): Benign {
  return byShape('an unknown field in every object', betaHeader, grown);
}

function grown(schema: string, value: Json): Json {
  const places = new Set<string>();
  const maps = new Set<string>();
  walk(carriedTrees(), schema, value, {
    visit: (node, here, at) => {
      if (kindOf(here) !== 'object') return;
      if (isMap(node)) maps.add(at);
      else if (node.members.length > 0) places.add(at);
    },
    breach: () => {},
  });
  return [...places]
    .filter((at) => !maps.has(at))
    .reduce((changed, at) => put(`${at}/x_unknown_field`, EXTRA)(changed), value);
}

function isMap(node: Node): boolean {
  return node.values !== null || node.keys !== null;
}
