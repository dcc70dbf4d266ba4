import type { ServerEvent } from '../http/response.ts';

/** Streams choices in turn, one piece each at a time, then the usage unless it is null, then `[DONE]` (2 Events). */
export function* streamCompletion(
  sharedFields: object,
  choices: readonly Iterator<object>[],
  usage: object | null,
): Generator<ServerEvent> {
  // The shared fields are serialized once, because a long reply has hundreds of chunks.
  const head = JSON.stringify(sharedFields).slice(0, -1);
  let unfinished = choices;
  while (unfinished.length > 0) {
    const remaining: Iterator<object>[] = [];
    for (const choice of unfinished) {
      const part = choice.next();
      if (part.done === true) continue;
      yield { data: `${head},"choices":[${JSON.stringify(part.value)}]}` };
      remaining.push(choice);
    }
    unfinished = remaining;
  }
  if (usage !== null) yield { data: { ...sharedFields, choices: [], usage } };
  yield { data: '[DONE]' };
}
