import type { Operation, Variant } from '../../schemas/index.ts';

/** Families whose operations answer and keep nothing; see 2 States and transitions. */
const KEEP_NOTHING: readonly string[] = ['chat', 'completions', 'images', 'audio', 'moderations'];

/** Whether an operation with a body leaves nothing behind but, at most, another form of what was there before. */
export function isHarmless({ path }: Operation, { family }: Variant): boolean {
  return KEEP_NOTHING.includes(family) || path.endsWith('}');
}
