import type { Json } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { withAnswer } from '../../judge/edit/exchanges.ts';
import { all, type Edit, put, remove } from '../../judge/edit/values.ts';
import { get, isObject, list, text } from '../../judge/json.ts';
import { type Benign, ofEach } from '../../judge/proof/benign/benign.ts';

/** What the specification leaves open about stores, their files and batches, done in the other way. */
export const benign: readonly Benign[] = [
  {
    ...ofEach('stores that call their bytes and their last use otherwise', (exchange) =>
      told(
        exchange,
        'vector_store',
        all(renamed('usage_bytes', 'bytes'), renamed('last_active_at', 'last_used_at')),
      ),
    ),
    blinds: true,
  },
  ofEach('stores without a name that have null for it', (exchange) =>
    told(exchange, 'vector_store', (store) =>
      get(store, 'name') === '' ? put('/name', null)(store) : store,
    ),
  ),
  ofEach('stores without a policy that do not mention one', (exchange) =>
    told(exchange, 'vector_store', (store) =>
      get(store, 'expires_after') === null ? remove('/expires_after')(store) : store,
    ),
  ),
  ofEach('stores without a policy that have an empty one', (exchange) =>
    told(exchange, 'vector_store', (store) =>
      get(store, 'expires_after') === null ? put('/expires_after', {})(store) : store,
    ),
  ),
  ofEach('policies with an anchor and days', (exchange) =>
    told(exchange, 'vector_store', (store) =>
      isObject(get(store, 'expires_after'))
        ? all(put('/expires_after/anchor', 'last_active_at'), put('/expires_after/days', 1))(store)
        : store,
    ),
  ),
  ofEach('stores that count none of the files in progress yet', (exchange) =>
    told(exchange, 'vector_store', (store) =>
      text(store, 'status') === 'in_progress' ? nothingCounted(store) : store,
    ),
  ),
  ofEach('batches that count none of their files in progress yet', (exchange) =>
    told(exchange, 'vector_store.file_batch', (batch) =>
      text(batch, 'status') === 'in_progress' ? nothingCounted(batch) : batch,
    ),
  ),
  ofEach('batches whose kind is spelled in the other way', (exchange) =>
    told(exchange, 'vector_store.file_batch', put('/object', 'vector_store.files_batch')),
  ),
  ofEach('batches that are cancelled as soon as they are asked to', (exchange) =>
    told(exchange, 'vector_store.file_batch', (batch) =>
      text(batch, 'status') === 'cancelling' ? put('/status', 'cancelled')(batch) : batch,
    ),
  ),
  ofEach('files that use fewer bytes in a store than they have', (exchange) =>
    told(
      exchange,
      'vector_store.file',
      put('/usage_bytes', (old) => Math.floor(Number(old) / 2)),
    ),
  ),
];

/** Changes each object of a kind, alone or in a list. */
function told(exchange: Exchange, kind: string, edit: Edit): Exchange {
  const own = (value: Json): Json => (text(value, 'object') === kind ? edit(value) : value);
  return withAnswer(exchange, (value) =>
    text(value, 'object') === 'list' ? inList(value, own) : own(value),
  );
}

function inList(page: Json, edit: Edit): Json {
  const data = list(page, 'data');
  const changed = data.map((element) => edit(element));
  return changed.every((element, i) => element === data[i]) ? page : put('/data', changed)(page);
}

function renamed(from: string, to: string): Edit {
  return (value) => {
    const old = get(value, from);
    return old === undefined ? value : all(remove(`/${from}`), put(`/${to}`, old))(value);
  };
}

function nothingCounted(value: Json): Json {
  return all(put('/file_counts/in_progress', 0), put('/file_counts/total', 0))(value);
}
