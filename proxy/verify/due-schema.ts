import type { HttpRequest } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { allHeaders } from '../../exchange/http/headers.ts';
import type { ResponseShape } from '../../schemas/contract.ts';
import { fulfils, matchOperation, schemaValidator } from '../../schemas/index.ts';
import type { Drift } from './compared-places.ts';

/** A JSON value of a response: the body, or the data of an event (`event`: its number, from 1). */
export interface ResponseValue {
  readonly value: Json;
  /** Name of its event; null for a whole body. */
  readonly name: string | null;
  readonly event: number;
}

/** Schema violations of the current values that the recorded ones do not have; each place is reported once. */
export function schemaDrift(
  request: HttpRequest,
  recorded: readonly ResponseValue[],
  now: readonly ResponseValue[],
): Drift[] {
  const shape = dueShape(request);
  if (shape === null) return [];
  const known = new Set(recorded.flatMap((one) => violations(shape, one).map(({ key }) => key)));
  const found: Drift[] = [];
  for (const one of now) {
    for (const { key, pointer, keyword, message } of violations(shape, one)) {
      if (known.has(key)) continue;
      known.add(key);
      const at = one.name === null ? pointer : `event ${one.event} ${pointer}`;
      found.push({ kind: 'schema', at, recorded: `valid (${keyword})`, now: message });
    }
  }
  return found;
}

function violations(shape: ResponseShape, { value, name }: ResponseValue) {
  const schema = name === null ? shape.schema : (shape.events?.[name] ?? null);
  if (schema === null) return [];
  return schemaValidator(schema)(value).map(({ pointer, keyword, message }) => ({
    key: `${name ?? ''} ${pointer} ${keyword}`,
    ...{ pointer, keyword, message },
  }));
}

/** What the specification states for the successful response to a request; null where it states nothing. */
function dueShape({ method, target, headers, body }: HttpRequest): ResponseShape | null {
  const match = matchOperation(method, target.split('?')[0] ?? '');
  if (match === null) return null;
  const beta = [...allHeaders(headers, 'openai-beta'), ...allHeaders(headers, 'vendor-beta')].join(',');
  const variants = match.operation.variants;
  const variant = variants.find((one) => one.beta !== null && beta.includes(one.beta)) ?? variants[0];
  if (variant === undefined) return null;
  const sent = body.json?.value;
  const due = variant.answers.find(
    ({ schema, events, when }) =>
      (schema !== null || events !== null) &&
      // Forms are not read here, so their conditions are not known to hold.
      (when === null || (sent !== undefined && fulfils(when, sent, variant))),
  );
  return due ?? null;
}
