// Finds the models that a client named and that the embedded reference does not have.
import type { Exchange } from '../../exchange/exchange.ts';
import { decodedContent } from '../../exchange/http/content.ts';
import type { Hint } from '../../exchange/note.ts';
import { truncateText } from '../../exchange/printable.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import { requestedModel } from '../../explain/rejected-configuration.ts';
import { textAt, valueAtPath } from '../../judge/trace/json.ts';
import { FirstTexts, numberOf } from '../../judge/trace/timed.ts';
import { modelRoles } from '../../reference/model/catalogue.ts';

const KEPT = 20;
/** Maximum length of a name, in characters. */
const LONGEST = 60;

export type UnknownModelsPart = ReturnType<FirstTexts['part']>;

export class UnknownModels {
  readonly #isReference: boolean;
  readonly #asked = new FirstTexts(KEPT);

  constructor({ target }: Pick<TraceHeader, 'target'>) {
    this.#isReference = target.name === 'reference';
  }

  /** Adds an exchange. Scenarios name unknown models on purpose, so only clients count. */
  feed(exchange: Exchange): void {
    const { response, scenario, id } = exchange;
    if (!this.#isReference || scenario !== null || response?.status !== 404) return;
    const error = valueAtPath(decodedContent(response)?.json?.value, 'error');
    const model = textAt(error, 'code') === 'model_not_found' ? requestedModel(exchange) : null;
    if (model !== null) this.#asked.add(truncateText(model, LONGEST), numberOf(id));
  }

  part(): UnknownModelsPart {
    return this.#asked.part();
  }

  absorb(part: UnknownModelsPart): void {
    this.#asked.absorb(part);
  }

  /** A single hint on all unknown models; empty if there are none. */
  hints(): readonly Hint[] {
    if (this.#asked.size === 0) return [];
    const offered = [...new Set(Object.values(modelRoles))];
    return [{ kind: 'models-not-in-reference', models: this.#asked.texts, offered }];
  }
}
