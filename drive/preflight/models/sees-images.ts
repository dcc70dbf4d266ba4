import { valueAt } from '../../scenario/call-result.ts';
import type { IncomingResponse } from '../../target/target.ts';
import type { PreflightClient } from '../preflight-client.ts';
import { ROLE_SEARCHES } from './trials.ts';

/**
 * Whether a model looks at images, as far as it can be seen: its name says so, or the same message counts more tokens of input with
 * an image than without. A service that ignores images accepts them, too.
 */
export async function seesImages(id: string, preflight: PreflightClient): Promise<boolean> {
  const { vision, chat } = ROLE_SEARCHES;
  const [byName] = vision.prefers;
  if (byName?.test(id) === true) return true;
  const [withImage, without] = await Promise.all([
    preflight.ask(vision.operation, vision.input(id)),
    preflight.ask(chat.operation, chat.input(id)),
  ]);
  const [more, fewer] = [inputTokens(withImage), inputTokens(without)];
  return more !== null && fewer !== null && more > fewer;
}

/** Tokens of the input that an answer counts; null where it counts none. */
function inputTokens({ response }: IncomingResponse): number | null {
  const count = valueAt(response?.body.json?.value, '/usage/prompt_tokens');
  return typeof count === 'number' ? count : null;
}
