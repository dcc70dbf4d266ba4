import type { Exchange } from '../../exchange/exchange.ts';
import { jsonContent } from '../../exchange/http/content.ts';
import type { Hint } from '../../exchange/note.ts';
import { truncateText } from '../../exchange/printable.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import { type RefusedModelsPart, requestedModel } from '../../explain/rejected-configuration.ts';
import type { JudgementPart } from '../../judge/judged-traffic.ts';
import { textAt, valueAtPath } from '../../judge/trace/json.ts';
import { FirstTexts, numberOf } from '../../judge/trace/timed.ts';
import { modelRoles } from '../../reference/model/catalogue.ts';

/** The results of one judge for its part of the traffic. */
export interface TracePart {
  /** The header of the traffic, with the judged claims. */
  readonly header: TraceHeader;
  /** Families of called operations, each with the position of the first call; empty if the claims were stated. */
  readonly called: readonly (readonly [family: string, at: number])[];
  /** Configured models that the target refused. */
  readonly refusedModels: RefusedModelsPart;
  /** Models that a client requested and that the embedded reference does not have. */
  readonly unknownModels: UnknownModelsPart;
  /** The results of this part for each requirement; verdicts are decided when parts are merged. */
  readonly judgement: JudgementPart;
}

// Finds the models that a client named and that the embedded reference does not have.

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
    const error = valueAtPath(jsonContent(response), 'error');
    const model = textAt(error, 'code') === 'model_not_found' ? requestedModel(exchange) : null;
    if (model !== null) this.#asked.add(truncateText(model, LONGEST), numberOf(id));
  }

  /** The first 20 models of this part of the traffic, for `absorb`. */
  part(): UnknownModelsPart {
    return this.#asked.part();
  }

  /** Adds the models that another judge found in its part of the traffic. */
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
