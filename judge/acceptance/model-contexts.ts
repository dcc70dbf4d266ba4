import type { Call } from '../trace/call.ts';
import { arrayAt, numberAt, textAt } from '../trace/json.ts';
import { LruMap } from '../trace/lru-map.ts';

/** In tokens. A smaller context explains a refusal only if the error names the context (`exceedsContext`). */
const ASSUMED_CONTEXT = 2048;
/** Operations that refuse a request which exceeds the context of its model. Runs end incomplete instead. */
const REFUSING_OPERATIONS: ReadonlySet<string> = new Set(['createChatCompletion', 'createCompletion']);

/** A lower bound for the context of each model, in tokens: the largest total of a prompt and its only completion. */
export class ModelContexts {
  readonly #largestTotals = new LruMap<number>();

  call(call: Call): void {
    if (!REFUSING_OPERATIONS.has(call.operation.id) || call.responseClass !== 'accepted') return;
    const { sentJson: body, responseJson: response } = call;
    // The usage adds up all completions, which may exceed the context together.
    if (arrayAt(response, 'choices').length > 1 || (numberAt(body, 'best_of') ?? 1) > 1) return;
    const total = numberAt(response, 'usage', 'total_tokens');
    const model = textAt(body, 'model');
    if (total === undefined || model === undefined || total <= ASSUMED_CONTEXT) return;
    this.#largestTotals.set(model, Math.max(total, this.#largestTotals.get(model) ?? 0));
  }

  /** Counts each byte of the body as a token. True for operations that refuse no request for its length. */
  fits({ operation, exchange, requestJson: body }: Call): boolean {
    if (!REFUSING_OPERATIONS.has(operation.id)) return true;
    const tokens = exchange.request.body.size + (numberAt(body, 'max_tokens') ?? 0);
    const context = this.#largestTotals.get(textAt(body, 'model') ?? '') ?? 0;
    return tokens <= Math.max(ASSUMED_CONTEXT, context);
  }
}
