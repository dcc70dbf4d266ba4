import { carriedConstraints } from '../schema/carried-schemas.ts';
import type { NeededValue } from '../verdict/cause.ts';

/** Keywords that any value at their place shows. */
const OF_ANY_TYPE = ['type', 'const', 'enum'];
/** Keywords about an absent member: the object that lacks it shows them. */
const OF_PARENT = ['required', 'expected'];

/** The value that an answer has to contain to show a constraint of its schema; null for other requirements. */
export function neededValue(id: string): NeededValue | null {
  const constraint = carriedConstraints().get(id);
  if (constraint === undefined) return null;
  const { path, keyword, node } = constraint;
  const schema = id.slice(0, id.indexOf(':'));
  if (OF_PARENT.includes(keyword)) return { schema, path: path.slice(0, Math.max(0, path.lastIndexOf('.'))) };
  if (OF_ANY_TYPE.includes(keyword) || node.types === null) return { schema, path };
  return { schema, path, types: node.types };
}
