import { bodyDigest, follow, LruMap } from '../vocabulary/collecting.ts';
import { isObject, numberAt, valueAtPath } from '../vocabulary/json.ts';
import type { Call, Evidence, Exchange, Json } from '../vocabulary/types.ts';

/** A completion of several prompts, at least one of which was also continued alone. */
export interface PromptCount extends Evidence {
  /** The number of prompt tokens that the completion reports. */
  readonly together: number;
  /** The minimum: one token more than the longest known prompt alone, because at least one other prompt adds to it. */
  readonly least: number;
}

/** Fields that may change how prompts are counted; requests with any of them prove nothing. */
const UNCOUNTABLE_FIELDS = ['best_of', 'echo', 'suffix'];

const MAX_SINGLE_PROMPTS = 200;

export const promptCounts = follow<PromptCount>(
  ['createCompletion'],
  () => {
    const singlePrompts = new LruMap<{ readonly count: number; readonly exchange: Exchange }>(
      MAX_SINGLE_PROMPTS,
    );
    return ({ requestJson: request, responseJson: answer, exchange }: Call) => {
      const count = numberAt(answer, 'usage', 'prompt_tokens');
      if (
        count === undefined ||
        !isObject(request) ||
        UNCOUNTABLE_FIELDS.some((name) => Object.hasOwn(request, name))
      )
        return [];
      const keyOf = (prompt: Json) => bodyDigest([request['model'] ?? null, request['n'] ?? 1, prompt]);
      const prompts = promptsInList(valueAtPath(request, 'prompt'));
      if (prompts === null) {
        singlePrompts.set(keyOf(request['prompt'] ?? null), { count, exchange });
        return [];
      }
      const [longest] = prompts
        .flatMap((prompt) => singlePrompts.get(keyOf(prompt)) ?? [])
        .toSorted((a, b) => b.count - a.count);
      if (longest === undefined || prompts.length < 2) return [];
      return [{ exchanges: [longest.exchange, exchange], together: count, least: longest.count + 1 }];
    };
  },
  'a non-streamed completion of several prompts, after a completion of one of them alone',
);

/** The prompts of a list, or no prompts if one of them is empty; null for a single prompt. */
function promptsInList(prompt: Json | undefined): readonly Json[] | null {
  if (!Array.isArray(prompt) || prompt.every((part) => typeof part === 'number')) return null;
  return prompt.some((part) => part === '' || (Array.isArray(part) && part.length === 0)) ? [] : prompt;
}
