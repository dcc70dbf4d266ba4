import { valueAt } from '../../drive/scenario/call-result.ts';
import type { ModelRole } from '../../drive/scenario/model-roles.ts';
import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import type { Json, JsonObject } from '../vocabulary/types.ts';
import { callRefusedStream } from './rule-probes.ts';

/** One scenario in `scenarios.json`; `suites/data/scenarios.schema.json` describes the members. */
export interface BodiesRow {
  readonly operation: string;
  readonly role?: ModelRole;
  readonly ask?: 'once' | 'both ways' | 'both ways, repeated' | 'a refused stream';
  readonly bodies: readonly JsonObject[];
}

export const DETERMINISTIC = { temperature: 0, seed: 7 };

export async function sendBodies(
  context: ScenarioContext,
  { operation, role, ask = 'once', bodies }: BodiesRow,
): Promise<void> {
  const model = role === undefined ? {} : { model: context.model(role) };
  for (const fields of bodies) {
    const body = { ...model, ...fields };
    if (ask === 'once') await context.call(operation, { body });
    else if (ask === 'a refused stream') await callRefusedStream(context, operation, body);
    else {
      const isRepeated = ask === 'both ways, repeated';
      await sendBothWays(context, operation, { ...model, ...DETERMINISTIC, ...fields }, isRepeated);
    }
  }
}

/** Number of requests that is likely to show occasional behaviour of a model. */
const REPETITIONS = 6;
/** Settings that some services apply to only some of the replies. */
const UNRELIABLE_SETTINGS = ['stop', 'response_format', 'tool_choice'];

/** Requests a reply, then a stream. `isRepeated` repeats replies for unreliable settings, streams for `tool_choice`. */
async function sendBothWays(
  context: ScenarioContext,
  operation: string,
  body: JsonObject,
  isRepeated: boolean,
): Promise<void> {
  const repetitionsIf = (isUnreliable: boolean) => (isRepeated && isUnreliable ? REPETITIONS : 1);
  const texts = new Set<Json>();
  for (let n = 0; n < repetitionsIf(UNRELIABLE_SETTINGS.some((name) => name in body)); n++) {
    const { ok, json } = await context.call(operation, { body });
    const text = valueAt(json, '/choices/0/message/content') || null;
    // Two equal texts suggest that the service does not sample; replies with function calls have no text to compare.
    if (!ok || (text !== null && texts.has(text))) break;
    texts.add(text);
  }
  const streamed = { ...body, stream: true, stream_options: { include_usage: true } };
  // A sampling model may call a function in one stream and answer in words in another.
  for (let n = 0; n < repetitionsIf('tool_choice' in body); n++) {
    const { ok } = await context.call(operation, { body: streamed });
    if (!ok) break;
  }
}
