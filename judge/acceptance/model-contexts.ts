import type { Call } from '../trace/call.ts';
import { isObject } from '../trace/json.ts';
import { LruMap } from '../trace/lru-map.ts';

/** Tokens that fit the context of any model: the smallest context that a service with this API has offered. */
const SMALLEST_CONTEXT = 2048;

/** Operations that refuse a request which exceeds the context of its model. Runs end incomplete instead. */
const REFUSING_OPERATIONS: ReadonlySet<string> = new Set(['createChatCompletion', 'createCompletion']);

export class ModelContexts {
  readonly #shown = new LruMap<number>();

  call(call: Call): void {
    if (!REFUSING_OPERATIONS.has(call.operation.id) || call.responseClass !== 'accepted') return;
    const { sentJson: body, responseJson: response } = call;
    const usage = isObject(response) ? response['usage'] : undefined;
    const total = isObject(usage) ? usage['total_tokens'] : undefined;
    const model = isObject(body) ? body['model'] : undefined;
    if (typeof total !== 'number' || typeof model !== 'string' || total <= SMALLEST_CONTEXT) return;
    this.#shown.set(model, Math.max(total, this.#shown.get(model) ?? 0));
  }

  /** Whether a request certainly fits: a token takes at least one byte of the body. */
  holds({ operation, exchange, requestJson: body }: Call): boolean {
    if (!REFUSING_OPERATIONS.has(operation.id)) return true;
    const { model, max_tokens: most } = isObject(body) ? body : {};
    const tokens = exchange.request.body.size + (typeof most === 'number' ? most : 0);
    return tokens <= Math.max(SMALLEST_CONTEXT, this.#shown.get(String(model)) ?? 0);
  }
}
