// Finds the models that a client named and the embedded reference does not have: nothing else of its requests was answered.
import type { Exchange } from '../../exchange/exchange.ts';
import { decodedContent } from '../../exchange/http/content.ts';
import type { Hint } from '../../exchange/note.ts';
import { truncateText } from '../../exchange/printable.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import { textAt, valueAtPath } from '../../judge/evidence/json.ts';
import { FirstTexts, numberOf } from '../../judge/partial/earliest.ts';
import { modelRoles } from '../../reference/model/catalogue.ts';
import { requestedModel } from '../../reports/failure/rejected-configuration.ts';

/** Models that are kept. */
const KEPT = 20;
/** Characters of a name. */
const LONGEST = 60;

/** Models that a part of the traffic names, by the number of the exchange. */
export type UnknownModelsPart = ReturnType<FirstTexts['part']>;

/** Collects them while a trace is judged. */
export class UnknownModels {
  readonly #isReference: boolean;
  readonly #asked = new FirstTexts(KEPT);

  constructor({ target }: Pick<TraceHeader, 'target'>) {
    this.#isReference = target.name === 'reference';
  }

  /** Takes one exchange. The scenarios of a run name unknown models on purpose; a client does not belong to one. */
  feed(exchange: Exchange): void {
    const { response, scenario, id } = exchange;
    if (!this.#isReference || scenario !== null || response?.status !== 404) return;
    const error = valueAtPath(decodedContent(response)?.json?.value, 'error');
    const model = textAt(error, 'code') === 'model_not_found' ? requestedModel(exchange) : null;
    if (model !== null) this.#asked.add(truncateText(model, LONGEST), numberOf(id));
  }

  /** The content of a partial verdict. */
  part(): UnknownModelsPart {
    return this.#asked.part();
  }

  /** Adds another part of the traffic. */
  absorb(part: UnknownModelsPart): void {
    this.#asked.absorb(part);
  }

  /** One hint on all of them; none where the reference has all that was asked for. */
  hints(): readonly Hint[] {
    if (this.#asked.size === 0) return [];
    const offered = [...new Set(Object.values(modelRoles))];
    return [{ kind: 'models-not-in-reference', models: this.#asked.texts, offered }];
  }
}
