import { allEdits, callsOperation, setValue } from '../vocabulary/changes.ts';
import { inEachExchange } from '../vocabulary/equivalents.ts';
import { withResponseJson } from '../vocabulary/exchanges.ts';
import { arrayAt, valueAtPath } from '../vocabulary/json.ts';
import type { Edit, EquivalentMutant, Exchange } from '../vocabulary/types.ts';

const RETRIEVE = 'retrieveAssistant';
const LIST = 'listAssistants';

export const equivalentMutants: readonly EquivalentMutant[] = [
  inEachExchange('fractions of assistants as 32 bits keep them', (exchange) =>
    editShown(exchange, allEdits(changeField('temperature', rounded), changeField('top_p', rounded))),
  ),
];

function editShown(exchange: Exchange, edit: Edit): Exchange {
  if (callsOperation(exchange, RETRIEVE)) return withResponseJson(exchange, edit);
  if (!callsOperation(exchange, LIST)) return exchange;
  return withResponseJson(
    exchange,
    changeField('data', (data) => arrayAt(data).map(edit)),
  );
}

function changeField(field: string, edit: Edit): Edit {
  return (one) =>
    valueAtPath(one, field) === undefined ? one : setValue(`/${field}`, (old) => edit(old ?? null))(one);
}

function rounded(value: Parameters<Edit>[0]): ReturnType<Edit> {
  return typeof value !== 'number' || Number.isInteger(value) ? value : value * (1 + 1e-9);
}
