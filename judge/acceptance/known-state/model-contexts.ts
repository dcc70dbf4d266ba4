import { isObject } from '../../evidence/json.ts';
import { LruMap } from '../../evidence/lru-map.ts';
import type { Call } from '../../trace/call.ts';

/** Tokens that the context of any model holds: as many as that of the smallest model which services offered in this form. */
const SMALLEST = 2048;

/** Operations whose request is refused where it does not fit the context of its model. Runs end incomplete instead. */
const BOUND: ReadonlySet<string> = new Set(['createChatCompletion', 'createCompletion']);

/** How many tokens fit the contexts of models, as far as answers show it. */
export class ModelContexts {
  /** The greatest number of tokens read and written for one answer, by model. */
  readonly #shown = new LruMap<number>();

  /** Takes note of the usage that an answer reports. */
  call(call: Call): void {
    if (!BOUND.has(call.operation.id) || call.responseClass !== 'accepted') return;
    const { sentJson: asked, responseJson: answer } = call;
    const usage = isObject(answer) ? answer['usage'] : undefined;
    const total = isObject(usage) ? usage['total_tokens'] : undefined;
    const model = isObject(asked) ? asked['model'] : undefined;
    if (typeof total !== 'number' || typeof model !== 'string' || total <= SMALLEST) return;
    this.#shown.set(model, Math.max(total, this.#shown.get(model) ?? 0));
  }

  /** Whether a request surely fits: a token is at least one byte of the body. */
  holds({ operation, exchange, requestJson: asked }: Call): boolean {
    if (!BOUND.has(operation.id)) return true;
    const { model, max_tokens: written } = isObject(asked) ? asked : {};
    const tokens = exchange.request.body.size + (typeof written === 'number' ? written : 0);
    return tokens <= Math.max(SMALLEST, this.#shown.get(String(model)) ?? 0);
  }
}
