import type { Call } from '../trace/call.ts';
import type { KnownObjects } from './known-state/objects.ts';

/**
 * What the query of a request says, as features: `query.limit`, `query.order="asc"`, `query.limit=minimum`. Null where
 * it says anything that the specification does not list, or that may be clamped or refused. `objects`: where cursors
 * have to name a listed element; null where the request was accepted.
 */
export function queryFeatures(call: Call, objects: KnownObjects | null): readonly string[] | null {
  const { operation, query } = call;
  const features: string[] = [];
  for (const [name, text] of query) {
    const parameter = operation.parameters.find((one) => one.in === 'query' && one.name === name);
    if (parameter === undefined) return null;
    if (objects !== null && CURSORS.has(name) && !objects.hasElement(text, call)) return null;
    if (objects !== null && name === 'run_id' && !objects.hasRun(text, call)) return null;
    const own = featuresOf(`query.${name}`, text, parameter.schema);
    if (own === null) return null;
    features.push(...own);
  }
  return [...new Set(features)];
}

function featuresOf(
  name: string,
  text: string,
  { type, enum: listed, minimum, maximum }: Readonly<Record<string, unknown>>,
): readonly string[] | null {
  if (Array.isArray(listed)) return listed.includes(text) ? [name, `${name}=${JSON.stringify(text)}`] : null;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (!types.includes('integer') && !types.includes('number')) return [name];
  const value = Number(text);
  if (text.trim() === '' || !Number.isInteger(value)) return null;
  if (typeof minimum === 'number' && value < minimum) return null;
  if (typeof maximum === 'number' && value > maximum) return null;
  const bound = value === minimum ? [`${name}=minimum`] : value === maximum ? [`${name}=maximum`] : [];
  return [name, ...bound];
}

/** Parameters that name an element of the list. */
const CURSORS = new Set(['after', 'before']);
