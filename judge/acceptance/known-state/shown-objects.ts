import type { Json } from '../../../exchange/http/body.ts';
import { eventsOf } from '../../../exchange/http/event-stream.ts';
import { isObject } from '../../evidence/json.ts';
import type { Call } from '../../trace/call.ts';

/** An object of the API as JSON. */
export type ShownObject = Readonly<Record<string, Json>>;

/** The objects that an answer shows, in their order: the answer itself, the elements of a list, the data of the events of a run. */
export function shownObjects(call: Call): readonly ShownObject[] {
  const { responseJson: answer, exchange } = call;
  if (answer !== undefined) return [answer, ...elements(answer)].filter(isObject);
  // Only runs stream objects that are there afterwards; chunks of completions are not.
  if (
    exchange.response === null ||
    call.responseClass !== 'accepted' ||
    !call.operation.path.endsWith('/runs')
  )
    return [];
  return (eventsOf(exchange.response)?.events ?? []).flatMap(({ json }) =>
    json !== null && isObject(json.value) ? [json.value] : [],
  );
}

/** Where an object can be read whose answer was given under another path: `/v1/threads/t/runs/r` of a run on a new thread. */
export function ownPath(object: ShownObject): string | null {
  const place = PLACES[String(object['object'])]?.(object);
  const parts = [...(place ?? []), object['id']];
  if (place === undefined || !parts.every((part) => typeof part === 'string' && part !== '')) return null;
  return `/v1/${parts.map((part) => encodeURIComponent(String(part))).join('/')}`;
}

/** The path above an object, by the name of its kind; undefined parts where the object does not name its owner. */
const PLACES: Readonly<Record<string, (object: ShownObject) => readonly (Json | undefined)[]>> = {
  thread: () => ['threads'],
  'thread.run': ({ thread_id }) => ['threads', thread_id, 'runs'],
  'thread.run.step': ({ thread_id, run_id }) => ['threads', thread_id, 'runs', run_id, 'steps'],
  'vector_store.file_batch': fileBatches,
  'vector_store.files_batch': fileBatches,
};

/** A file batch is created under another spelling of its path. */
function fileBatches({ vector_store_id }: ShownObject): readonly (Json | undefined)[] {
  return ['vector_stores', vector_store_id, 'files_batches'];
}

function elements(answer: Json): readonly Json[] {
  const data = isObject(answer) ? answer['data'] : undefined;
  return Array.isArray(data) ? data : [];
}
