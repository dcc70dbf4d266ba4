import { valueAt } from '../../scenario/call-result.ts';
import type { IncomingResponse } from '../../target/target.ts';
import { ROLE_SEARCHES } from './trials.ts';

/**
 * Whether a model that accepted an image looks at it, as far as it can be seen: its name says so, or the same message counts more
 * tokens of input with the image than without. A service that ignores images accepts them, too.
 */
export async function showsSight(
  id: string,
  withImage: IncomingResponse,
  withoutImage: (id: string) => Promise<IncomingResponse>,
): Promise<boolean> {
  const [byName] = ROLE_SEARCHES.vision.prefers;
  if (byName?.test(id) === true) return true;
  const more = inputTokens(withImage);
  const fewer = more === null ? null : inputTokens(await withoutImage(id));
  return more !== null && fewer !== null && more > fewer;
}

/** Tokens of the input that an answer counts; null where it counts none. */
function inputTokens({ response }: IncomingResponse): number | null {
  const count = valueAt(response?.body.json?.value, '/usage/prompt_tokens');
  return typeof count === 'number' ? count : null;
}
