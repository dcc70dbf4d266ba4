import { follow, LruMap, precedes } from '../vocabulary/collecting.ts';
import { arrayAt, valueAtPath } from '../vocabulary/json.ts';
import type { Call, Collector, Evidence, Json, Selector } from '../vocabulary/types.ts';

const MODERATE = 'createModeration';

/** Several texts that were moderated in one request after each of them had been moderated alone. */
export interface BatchedModeration extends Evidence {
  /** `flagged` of each result, in the order of the response. */
  readonly together: readonly boolean[];
  /** `flagged` of each text alone, in the order of the texts. */
  readonly alone: readonly boolean[];
}

function textsOf(request: Json | undefined): readonly string[] | null {
  const input = valueAtPath(request, 'input');
  const values = Array.isArray(input) ? input : [input];
  const texts = values.filter((one): one is string => typeof one === 'string');
  return texts.length === values.length && texts.length > 0 ? texts : null;
}

/**
 * The counts of flagged and unflagged texts must equal those of the texts alone: otherwise the model has
 * judged a text differently this time, and the results say nothing about their order.
 */
export const batchedModerations: Selector<BatchedModeration> = follow(
  [MODERATE],
  () => new BatchedModerationCollector(),
  'flagged and unflagged texts in one request, as many flagged as when each was moderated alone',
);

class BatchedModerationCollector implements Collector<BatchedModeration> {
  /** The flag of each text that was moderated alone, by model and text. */
  readonly #alone = new LruMap<{ readonly flagged: boolean; readonly call: Call }>();

  call(call: Call): readonly BatchedModeration[] {
    const texts = textsOf(call.requestJson);
    const flags = arrayAt(call.responseJson, 'results').map((result) => valueAtPath(result, 'flagged'));
    const together = flags.filter((flag) => typeof flag === 'boolean');
    if (texts === null || together.length !== texts.length || together.length !== flags.length) return [];
    if (texts.length > 1) return this.#compareTogether(call, texts, together);
    this.#alone.set(keyOf(call, texts[0] ?? ''), { flagged: together[0] === true, call });
    return [];
  }

  #compareTogether(
    call: Call,
    texts: readonly string[],
    together: readonly boolean[],
  ): readonly BatchedModeration[] {
    const earlier = texts.flatMap((text) => this.#alone.get(keyOf(call, text)) ?? []);
    const alone = earlier.map(({ flagged }) => flagged);
    const isOrdered = earlier.every((one) => precedes(one.call.exchange, call.exchange));
    const isMixed = alone.includes(true) && alone.includes(false);
    if (
      earlier.length !== texts.length ||
      !isOrdered ||
      !isMixed ||
      countFlagged(alone) !== countFlagged(together)
    )
      return [];
    const exchanges = [...earlier.map((one) => one.call.exchange), call.exchange];
    return [{ together, alone, exchanges }];
  }
}

function keyOf({ requestJson }: Call, text: string): string {
  return JSON.stringify([valueAtPath(requestJson, 'model') ?? null, text]);
}

function countFlagged(flags: readonly boolean[]): number {
  return flags.filter(Boolean).length;
}
