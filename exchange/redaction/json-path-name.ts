import type { Json } from '../../schemas/json.ts';

/**
 * Names a place in a stream of JSON events. Array elements are named by their `index` member if they have one. The
 * tokens of `logprobs` count as one place, because they add up to a text.
 */
export function jsonPathName(path: readonly (string | number)[], root: Json): string {
  let value: Json | undefined = root;
  let isInTokens = false;
  const names: string[] = [];
  for (const step of path) {
    value = member(value, step);
    const index = typeof step === 'number' ? member(value, 'index') : undefined;
    if (isInTokens && typeof step === 'number') {
      names.push('*');
      isInTokens = false;
    } else names.push(typeof index === 'number' ? `#${index}` : String(step));
    isInTokens ||= step === 'logprobs';
  }
  return names.join('/');
}

function member(value: Json | undefined, name: string | number): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}
