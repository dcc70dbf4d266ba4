import { numberAt } from '../../vocabulary/json.ts';
import type { Json, JsonEvent, StreamedPair, Violation } from '../../vocabulary/types.ts';

/**
 * Where the texts of streams differ from those in one piece. Models may answer the same question in two
 * ways. So a difference counts as a violation only where the replies are equal each time: several times in
 * one piece, and several times streamed. `textOf` and `joinedOf` give texts as `joinTexts` does.
 */
export function differingTexts(
  { plain, streamed }: StreamedPair,
  at: string,
  textOf: (answer: Json) => string | null,
  joinedOf: (chunks: readonly JsonEvent[]) => string | null,
): Violation[] {
  const whole = plain.map(({ answer }) => textOf(answer));
  const joined = streamed.map(({ chunks }) => joinedOf(chunks));
  const differing = joined.findIndex((one) => !whole.includes(one));
  if (differing === -1 || joined.some((one) => whole.includes(one))) return [];
  const steady = isSteady(whole) && isSteady(joined);
  return [
    {
      at,
      expected: whole[0] ?? 'no text',
      actual: JSON.parse(joined[differing] ?? 'null') as Json, // as: joinTexts made it
      exchange: streamed[differing]?.call.exchange.id ?? '',
      ...(steady ? {} : { inconclusive: 'model' as const }),
    },
  ];
}

/** True for several texts that are all the same. */
export function isSteady(texts: readonly (string | null)[]): boolean {
  return texts.length > 1 && new Set(texts).size === 1;
}

/** The texts of choices as one JSON list, sorted by index; an empty text counts like a missing one. Null where all are missing. */
export function joinTexts(
  texts: readonly (readonly [index: number | undefined, text: string | undefined])[],
): string | null {
  const inOrder = texts
    .toSorted(([a = 0], [b = 0]) => a - b)
    .map(([, one]) => (one === '' ? undefined : one));
  return inOrder.every((one) => one === undefined) ? null : JSON.stringify(inOrder.map((one) => one ?? null));
}

/** The prompt tokens that a reply in one piece counts. */
export function promptTokensOf({ plain }: StreamedPair): number | undefined {
  return plain
    .map(({ answer }) => numberAt(answer, 'usage', 'prompt_tokens'))
    .find((count) => count !== undefined);
}

/** The indexes of choices, sorted. */
export function indexes(choices: readonly Json[]): readonly number[] {
  return choices.flatMap((one) => numberAt(one, 'index') ?? []).sort((a, b) => a - b);
}
