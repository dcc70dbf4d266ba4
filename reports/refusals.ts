import { decoded } from '../exchange/content.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { form } from '../exchange/form.ts';
import type { Hint } from '../exchange/note.ts';
import { isNote, type TraceHeader, type TraceItem } from '../exchange/trace.ts';
import { get, text } from '../judge/json.ts';
import type { Judgement } from '../judge/verdict.ts';
import { cut } from './excerpt.ts';
import { asksForKey } from './hints.ts';

/** Recorded traffic, to look an exchange up in, and to read through. */
export interface Traffic {
  traces(): Iterable<AsyncIterable<TraceItem>>;
  exchange(id: string): Exchange | undefined;
}

/** Statuses of answers that may turn down a model. */
const REFUSALS = new Set([400, 403, 404, 422]);

/** That the target took nothing of what was configured for it: the key, a model. Empty where it did, as a rule without reading the traffic. */
export async function refusals(
  header: TraceHeader,
  judgement: Judgement,
  traffic: Traffic,
): Promise<readonly Hint[]> {
  const isIdle = judgement.operations.every(({ claimed, exercised }) => !claimed || exercised === 0);
  if (header.key && isIdle && asksForKey(judgement)) return [{ kind: 'key-refused' }];
  const unlisted = new Set((judgement.hints ?? []).flatMap(modelsOf));
  const suspects = new Map<string, Refusal>();
  for (const exchange of suspected(judgement, traffic)) {
    const model = modelOf(exchange);
    if (model === null || suspects.has(model) || unlisted.has(model)) continue;
    if (!Object.values(header.models).includes(model)) continue;
    const why = refusalOf(exchange, model);
    if (why !== null) suspects.set(model, why);
  }
  if (suspects.size > 0) await acquit(suspects, traffic);
  return [...suspects].map(([model, { status, code }]) => {
    const roles = Object.keys(header.models).filter((role) => header.models[role] === model);
    return { kind: 'model-refused', model, roles: roles.toSorted(), status, code };
  });
}

interface Refusal {
  readonly status: number;
  readonly code: string;
}

/** Models that a hint names already. */
function modelsOf(hint: Hint): readonly string[] {
  return hint.kind === 'models-not-listed' ? hint.models.map(({ id }) => id) : [];
}

/** The first proof of each request that was to be accepted and was not, and what blocked others. */
function suspected({ requirements, blockers }: Judgement, traffic: Traffic): readonly Exchange[] {
  const refused = requirements.flatMap(({ kind, verdict, findings: [finding] }) =>
    kind === 'accepted' && verdict === 'fail' && finding !== undefined ? [finding.exchange] : [],
  );
  const ids = new Set([...blockers.map(({ exchange }) => exchange), ...refused]);
  return [...ids].flatMap((id) => traffic.exchange(id) ?? []);
}

/** Takes out each model with which anything succeeded. */
async function acquit(suspects: Map<string, Refusal>, traffic: Traffic): Promise<void> {
  for (const trace of traffic.traces()) {
    for await (const item of trace) {
      if (isNote(item) || !isSuccess(item)) continue;
      const model = modelOf(item);
      if (model !== null) suspects.delete(model);
      if (suspects.size === 0) return;
    }
  }
}

function isSuccess({ response }: Exchange): boolean {
  return response !== null && response.status >= 200 && response.status < 300;
}

/** The model that a request names in its body; null where it names none. */
export function modelOf({ request }: Exchange): string | null {
  const model = text(decoded(request)?.json?.value, 'model');
  if (model !== undefined) return model;
  return form(request)?.find(({ name }) => name === 'model')?.body.text ?? null;
}

/** Status and `error.code` of an answer that rejects the model; null for any other answer. */
function refusalOf({ response }: Exchange, model: string): Refusal | null {
  if (response === null || !REFUSALS.has(response.status)) return null;
  const error = get(decoded(response)?.json?.value, 'error');
  const code = text(error, 'code') ?? '';
  const isOfModel = text(error, 'param') === 'model' || code === 'model_not_found';
  if (!isOfModel && !names(text(error, 'message') ?? '', model)) return null;
  return { status: response.status, code: cut(code, 60) };
}

/** True where a text holds the name for itself: `chat` stands in `no model chat.`, but not in `/v1/chat/completions`. */
function names(message: string, model: string): boolean {
  return message
    .split(model)
    .some((after, n, parts) => n > 0 && !/[\w/-]$/.test(parts[n - 1] ?? '') && !/^[\w/-]/.test(after));
}
