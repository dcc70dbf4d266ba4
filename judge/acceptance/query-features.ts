import type { Call } from '../trace/call.ts';
import type { KnownObjects } from './known-objects.ts';

/** Range of page sizes that services commonly support. */
const USUAL_RANGE = { min: 1, max: 100 } as const;
const PURPOSES: ReadonlySet<string> = new Set(['assistants', 'batch', 'fine-tune', 'vision']);
const CURSORS = new Set(['after', 'before']);

/** Features such as `query.limit=minimum`; null if the query may be refused. Without `objects`, ids are not checked. */
export function queryFeatures(call: Call, objects: KnownObjects | null): readonly string[] | null {
  const { operation, query } = call;
  const features: string[] = [];
  // The specification does not say which value of a repeated parameter applies.
  if (new Set(query.keys()).size < query.size) return null;
  for (const [name, text] of query) {
    const parameter = operation.parameters.find((row) => row.in === 'query' && row.name === name);
    if (parameter === undefined) return null;
    if (objects !== null && CURSORS.has(name) && !objects.hasElement(text, call)) return null;
    if (name === 'purpose' && !PURPOSES.has(text)) return null;
    if (objects !== null && name === 'run_id' && !objects.hasRun(text, call)) return null;
    const ownFeatures = sentParameterFeatures(`query.${name}`, text, parameter.schema);
    if (ownFeatures === null) return null;
    features.push(...ownFeatures);
  }
  return features;
}

function sentParameterFeatures(
  name: string,
  text: string,
  { type, enum: listed, minimum, maximum }: Readonly<Record<string, unknown>>,
): readonly string[] | null {
  if (Array.isArray(listed)) return listed.includes(text) ? [name, `${name}=${JSON.stringify(text)}`] : null;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (!types.includes('integer') && !types.includes('number')) return [name];
  const value = Number(text);
  // The specification mentions neither other spellings of numbers nor page sizes outside the usual range.
  if (!/^(0|[1-9]\d*)$/.test(text)) return null;
  const [min, max] = [minimum ?? USUAL_RANGE.min, maximum ?? USUAL_RANGE.max];
  if (typeof min === 'number' && value < min) return null;
  if (typeof max === 'number' && value > max) return null;
  if (value === minimum) return [name, `${name}=minimum`];
  return value === maximum ? [name, `${name}=maximum`] : [name];
}
