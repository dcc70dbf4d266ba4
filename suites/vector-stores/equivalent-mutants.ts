import { allEdits, removeValue, setValue } from '../vocabulary/changes.ts';
import { inEachExchange } from '../vocabulary/equivalents.ts';
import { withResponseJson } from '../vocabulary/exchanges.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import type { Edit, EquivalentMutant, Json } from '../vocabulary/types.ts';

const STORE = 'vector_store';
const BATCH = 'vector_store.file_batch';

/** Points that the specification leaves open, each done in another way. */
export const equivalentMutants: readonly EquivalentMutant[] = [
  {
    ...inObjects(
      STORE,
      'stores that call their bytes and their last use otherwise',
      allEdits(renamed('usage_bytes', 'bytes'), renamed('last_active_at', 'last_used_at')),
    ),
    blinds: true,
  },
  inObjects(STORE, 'stores without a name that have null for it', (store) =>
    valueAtPath(store, 'name') === '' ? setValue('/name', null)(store) : store,
  ),
  inObjects(STORE, 'stores without a policy that do not mention one', (store) =>
    valueAtPath(store, 'expires_after') === null ? removeValue('/expires_after')(store) : store,
  ),
  inObjects(STORE, 'stores without a policy that have an empty one', (store) =>
    valueAtPath(store, 'expires_after') === null ? setValue('/expires_after', {})(store) : store,
  ),
  inObjects(STORE, 'policies with an anchor and days', (store) =>
    isObject(valueAtPath(store, 'expires_after'))
      ? allEdits(
          setValue('/expires_after/anchor', 'last_active_at'),
          setValue('/expires_after/days', 1),
        )(store)
      : store,
  ),
  inObjects(STORE, 'stores that count none of the files in progress yet', (store) =>
    textAt(store, 'status') === 'in_progress' ? nothingCounted(store) : store,
  ),
  inObjects(BATCH, 'batches that count none of their files in progress yet', (batch) =>
    textAt(batch, 'status') === 'in_progress' ? nothingCounted(batch) : batch,
  ),
  inObjects(
    BATCH,
    'batches whose kind is spelled in the other way',
    setValue('/object', 'vector_store.files_batch'),
  ),
  inObjects(BATCH, 'batches that are cancelled as soon as they are asked to', (batch) =>
    textAt(batch, 'status') === 'cancelling' ? setValue('/status', 'cancelled')(batch) : batch,
  ),
  inObjects(
    'vector_store.file',
    'files that use fewer bytes in a store than they have',
    setValue('/usage_bytes', (old) => Math.floor(Number(old) / 2)),
  ),
];

function inObjects(kind: string, name: string, edit: Edit): EquivalentMutant {
  const own = (value: Json): Json => (textAt(value, 'object') === kind ? edit(value) : value);
  const either = (value: Json): Json =>
    textAt(value, 'object') === 'list' ? inList(value, own) : own(value);
  return inEachExchange(name, (exchange) => withResponseJson(exchange, either));
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
