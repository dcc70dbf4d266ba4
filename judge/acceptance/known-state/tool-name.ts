import type { Json } from '../../../schemas/json.ts';
import { isObject } from '../../evidence/json.ts';

/** The name of a function, or the type of another tool: equal for a tool and for the choice that forces it. */
export function toolName(tool: Json): string {
  const called = isObject(tool) ? tool['function'] : undefined;
  if (isObject(called)) return `function ${String(called['name'])}`;
  return isObject(tool) ? String(tool['type']) : '';
}
