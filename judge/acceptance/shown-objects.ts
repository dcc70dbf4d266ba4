import type { Json } from '../../exchange/http/body.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import type { Call } from '../trace/call.ts';
import { arrayAt, isObject } from '../trace/json.ts';

const ENDED_STATUSES: readonly unknown[] = [
  'completed',
  'succeeded',
  'incomplete',
  'failed',
  'cancelled',
  'expired',
];

export type ShownObject = Readonly<Record<string, Json>>;

export function objectsShownBy(call: Call): readonly ShownObject[] {
  const { responseJson: response, exchange } = call;
  if (response !== undefined) return [response, ...arrayAt(response, 'data')].filter(isObject);
  // A completion cannot be retrieved by its id, so no streams but those of new runs are read.
  const isAcceptedRun = call.responseClass === 'accepted' && call.operation.path.endsWith('/runs');
  if (exchange.response === null || !isAcceptedRun) return [];
  return (eventsOf(exchange.response)?.events ?? []).flatMap(({ json }) =>
    json !== null && isObject(json.value) ? [json.value] : [],
  );
}

export function showsEnd({ status }: ShownObject): boolean {
  return ENDED_STATUSES.includes(status);
}
