import type { Exchange } from '../../exchange/exchange.ts';
import { calls } from '../../judge/edit/breaks.ts';
import { withAnswer } from '../../judge/edit/exchanges.ts';
import { all, type Edit, put } from '../../judge/edit/values.ts';
import { get, list } from '../../judge/json.ts';
import { type Benign, ofEach } from '../../judge/proof/benign/benign.ts';

const RETRIEVE = 'retrieveAssistant';
const LIST = 'listAssistants';

/** What two answers may tell otherwise of the same assistant. */
export const benign: readonly Benign[] = [
  ofEach('tools of assistants in another order than they were given', (exchange) =>
    seen(
      exchange,
      changed('tools', (tools) => list(tools).toReversed()),
    ),
  ),
  ofEach('fractions of assistants as 32 bits keep them', (exchange) =>
    seen(exchange, all(changed('temperature', rounded), changed('top_p', rounded))),
  ),
];

/** Changes an assistant where it is looked at, not where it is made. */
function seen(exchange: Exchange, edit: Edit): Exchange {
  if (calls(exchange, RETRIEVE)) return withAnswer(exchange, edit);
  if (!calls(exchange, LIST)) return exchange;
  return withAnswer(
    exchange,
    changed('data', (data) => list(data).map(edit)),
  );
}

function changed(field: string, edit: Edit): Edit {
  return (one) => (get(one, field) === undefined ? one : put(`/${field}`, (old) => edit(old ?? null))(one));
}

/** Not quite the same number, to who keeps it in 64 bits. */
function rounded(value: Parameters<Edit>[0]): ReturnType<Edit> {
  return typeof value !== 'number' || Number.isInteger(value) ? value : value * (1 + 1e-9);
}
