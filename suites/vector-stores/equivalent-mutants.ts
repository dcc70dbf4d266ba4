import { allEdits, removeValue, setValue } from '../vocabulary/changes.ts';
import { inEachExchange, withResponseJson } from '../vocabulary/exchanges.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import type { Edit, EquivalentMutant, Exchange, Json } from '../vocabulary/types.ts';

/** Points that the specification leaves open about stores, their files and batches, done in the other way. */
export const equivalentMutants: readonly EquivalentMutant[] = [
  {
    ...inEachExchange('stores that call their bytes and their last use otherwise', (exchange) =>
      editObjects(
        exchange,
        'vector_store',
        allEdits(renamed('usage_bytes', 'bytes'), renamed('last_active_at', 'last_used_at')),
      ),
    ),
    blinds: true,
  },
  inEachExchange('stores without a name that have null for it', (exchange) =>
    editObjects(exchange, 'vector_store', (store) =>
      valueAtPath(store, 'name') === '' ? setValue('/name', null)(store) : store,
    ),
  ),
  inEachExchange('stores without a policy that do not mention one', (exchange) =>
    editObjects(exchange, 'vector_store', (store) =>
      valueAtPath(store, 'expires_after') === null ? removeValue('/expires_after')(store) : store,
    ),
  ),
  inEachExchange('stores without a policy that have an empty one', (exchange) =>
    editObjects(exchange, 'vector_store', (store) =>
      valueAtPath(store, 'expires_after') === null ? setValue('/expires_after', {})(store) : store,
    ),
  ),
  inEachExchange('policies with an anchor and days', (exchange) =>
    editObjects(exchange, 'vector_store', (store) =>
      isObject(valueAtPath(store, 'expires_after'))
        ? allEdits(
            setValue('/expires_after/anchor', 'last_active_at'),
            setValue('/expires_after/days', 1),
          )(store)
        : store,
    ),
  ),
  inEachExchange('stores that count none of the files in progress yet', (exchange) =>
    editObjects(exchange, 'vector_store', (store) =>
      textAt(store, 'status') === 'in_progress' ? nothingCounted(store) : store,
    ),
  ),
  inEachExchange('batches that count none of their files in progress yet', (exchange) =>
    editObjects(exchange, 'vector_store.file_batch', (batch) =>
      textAt(batch, 'status') === 'in_progress' ? nothingCounted(batch) : batch,
    ),
  ),
  inEachExchange('batches whose kind is spelled in the other way', (exchange) =>
    editObjects(exchange, 'vector_store.file_batch', setValue('/object', 'vector_store.files_batch')),
  ),
  inEachExchange('batches that are cancelled as soon as they are asked to', (exchange) =>
    editObjects(exchange, 'vector_store.file_batch', (batch) =>
      textAt(batch, 'status') === 'cancelling' ? setValue('/status', 'cancelled')(batch) : batch,
    ),
  ),
  inEachExchange('files that use fewer bytes in a store than they have', (exchange) =>
    editObjects(
      exchange,
      'vector_store.file',
      setValue('/usage_bytes', (old) => Math.floor(Number(old) / 2)),
    ),
  ),
];

/** Changes each object of a kind, alone or in a list. */
function editObjects(exchange: Exchange, kind: string, edit: Edit): Exchange {
  const own = (value: Json): Json => (textAt(value, 'object') === kind ? edit(value) : value);
  return withResponseJson(exchange, (value) =>
    textAt(value, 'object') === 'list' ? inList(value, own) : own(value),
  );
}

function inList(page: Json, edit: Edit): Json {
  const data = arrayAt(page, 'data');
  const changed = data.map((element) => edit(element));
  return changed.every((element, i) => element === data[i]) ? page : setValue('/data', changed)(page);
}

function renamed(from: string, to: string): Edit {
  return (value) => {
    const old = valueAtPath(value, from);
    return old === undefined ? value : allEdits(removeValue(`/${from}`), setValue(`/${to}`, old))(value);
  };
}

function nothingCounted(value: Json): Json {
  return allEdits(setValue('/file_counts/in_progress', 0), setValue('/file_counts/total', 0))(value);
}
