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
  // Which of two values counts is not stated.
  if (new Set(query.keys()).size < query.size) return null;
  for (const [name, text] of query) {
    const parameter = operation.parameters.find((one) => one.in === 'query' && one.name === name);
    if (parameter === undefined) return null;
    if (objects !== null && CURSORS.has(name) && !objects.hasElement(text, call)) return null;
    if (name === 'purpose' && !PURPOSES.has(text)) return null;
    if (objects !== null && name === 'run_id' && !objects.hasRun(text, call)) return null;
    const own = featuresOf(`query.${name}`, text, parameter.schema);
    if (own === null) return null;
    features.push(...own);
  }
  return [...new Set(features)];
}

/** Features of one parameter; null where its value is not plainly valid. */
function featuresOf(
  name: string,
  text: string,
  { type, enum: listed, minimum, maximum }: Readonly<Record<string, unknown>>,
): readonly string[] | null {
  if (Array.isArray(listed)) return listed.includes(text) ? [name, `${name}=${JSON.stringify(text)}`] : null;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (!types.includes('integer') && !types.includes('number')) return [name];
  const value = Number(text);
  // Whether other spellings of numbers are read is not stated, nor is a page of more than the usual range.
  if (!/^(0|[1-9]\d*)$/.test(text)) return null;
  const [least, most] = [minimum ?? USUAL.least, maximum ?? USUAL.most];
  if (typeof least === 'number' && value < least) return null;
  if (typeof most === 'number' && value > most) return null;
  const bound = value === minimum ? [`${name}=minimum`] : value === maximum ? [`${name}=maximum`] : [];
  return [name, ...bound];
}

/** Elements of a page where no range is stated: as other lists state it. */
const USUAL = { least: 1, most: 100 } as const;

/** Purposes that files are uploaded for. */
const PURPOSES: ReadonlySet<string> = new Set(['assistants', 'batch', 'fine-tune', 'vision']);

/** Parameters that name an element of the list. */
const CURSORS = new Set(['after', 'before']);
