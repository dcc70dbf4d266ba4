import type { Exchange } from '../exchange/exchange.ts';
import { jsonContent } from '../exchange/http/content.ts';
import { formDataParts } from '../exchange/http/form-data.ts';
import { isKeyRefusal } from '../exchange/key-refusal.ts';
import type { Hint } from '../exchange/note.ts';
import { truncateText } from '../exchange/printable.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import { textAt, valueAtPath } from '../judge/trace/json.ts';
import type { Judgement } from '../judge/verdict/verdict.ts';
import { escapePattern } from '../schemas/escape-pattern.ts';

const REFUSAL_STATUSES = new Set([400, 403, 404, 422]);
const MAX_REFUSALS = 10_000;
const MAX_CODE_LENGTH = 60;

/** `refused` is null if a request with the model succeeded. */
export type RefusedModelsPart = readonly {
  readonly model: string;
  readonly refused: readonly (readonly [exchange: string, why: Refusal])[] | null;
}[];

export class RejectedConfiguration {
  readonly #header: TraceHeader;
  readonly #models: Map<string, Map<string, Refusal>>;

  constructor(header: TraceHeader) {
    this.#header = header;
    this.#models = new Map(Object.values(header.models).map((model) => [model, new Map()]));
  }

  feed(exchange: Exchange): void {
    const status = exchange.response?.status ?? 0;
    const isSuccess = status >= 200 && status < 300;
    if (this.#models.size === 0 || !(isSuccess || REFUSAL_STATUSES.has(status))) return;
    const model = requestedModel(exchange);
    const refused = model === null ? undefined : this.#models.get(model);
    if (model === null || refused === undefined) return;
    // The model exists, so earlier refusals had another reason.
    if (isSuccess) {
      this.#models.delete(model);
      return;
    }
    const why = refused.size < MAX_REFUSALS ? refusalOf(exchange, model) : null;
    if (why !== null) refused.set(exchange.id, why);
  }

  part(): RefusedModelsPart {
    return Object.values(this.#header.models).map((model) => {
      const refused = this.#models.get(model);
      return { model, refused: refused === undefined ? null : [...refused] };
    });
  }

  absorb(part: RefusedModelsPart): void {
    for (const { model, refused } of part) {
      const known = this.#models.get(model);
      if (refused === null) this.#models.delete(model);
      else for (const [exchange, why] of refused) known?.set(exchange, why);
    }
  }

  hints(judgement: Judgement): readonly Hint[] {
    const isIdle = judgement.operations.every(({ claimed, exercised }) => !claimed || exercised === 0);
    if (this.#header.key && isIdle && asksForKey(judgement)) return [{ kind: 'key-refused' }];
    const alreadyHinted = new Set((judgement.hints ?? []).flatMap(unlistedModels));
    const suspects = new Map<string, Refusal>();
    for (const id of listCitedExchanges(judgement)) {
      for (const [model, refused] of this.#models) {
        const refusal = refused.get(id);
        if (refusal !== undefined && !suspects.has(model) && !alreadyHinted.has(model))
          suspects.set(model, refusal);
      }
    }
    const { models } = this.#header;
    return [...suspects].map(([model, { status, code }]) => {
      const roles = Object.keys(models).filter((role) => models[role] === model);
      return { kind: 'model-refused', model, roles: roles.toSorted(), status, code };
    });
  }
}

export function asksForKey({ blockers }: Pick<Judgement, 'blockers'>): boolean {
  return blockers.some(({ obstacle }) => 'status' in obstacle && isKeyRefusal(obstacle.status));
}

interface Refusal {
  readonly status: number;
  readonly code: string;
}

function unlistedModels(hint: Hint): readonly string[] {
  return hint.kind === 'models-not-listed' ? hint.models.map(({ id }) => id) : [];
}

function listCitedExchanges({ requirements, blockers }: Judgement): ReadonlySet<string> {
  const refused = requirements.flatMap(({ kind, verdict, findings: [finding] }) =>
    kind === 'accepted' && verdict === 'fail' && finding !== undefined ? [finding.exchange] : [],
  );
  return new Set([...blockers.map(({ exchange }) => exchange), ...refused]);
}

export function requestedModel({ request }: Exchange): string | null {
  const model = textAt(jsonContent(request), 'model');
  if (model !== undefined) return model;
  return formDataParts(request)?.find(({ name }) => name === 'model')?.body.text ?? null;
}

function refusalOf({ response }: Exchange, model: string): Refusal | null {
  if (response === null) return null;
  const error = valueAtPath(jsonContent(response), 'error');
  const code = textAt(error, 'code') ?? '';
  const blamesModel = textAt(error, 'param') === 'model' || code === 'model_not_found';
  if (!blamesModel && !mentionsModel(textAt(error, 'message') ?? '', model)) return null;
  return { status: response.status, code: truncateText(code, MAX_CODE_LENGTH) };
}

function mentionsModel(message: string, model: string): boolean {
  return new RegExp(`(?<![\\w/-])${escapePattern(model)}(?![\\w/-])`).test(message);
}
