import { allEdits, callsOperation, setValue } from '../vocabulary/changes.ts';
import { inEachExchange } from '../vocabulary/equivalents.ts';
import { withResponseJson } from '../vocabulary/exchanges.ts';
import { arrayAt, valueAtPath } from '../vocabulary/json.ts';
import type { Edit, EquivalentMutant, Exchange, Json } from '../vocabulary/types.ts';

export const equivalentMutants: readonly EquivalentMutant[] = [
  inEachExchange('fractions of assistants rounded to 32 bits', (exchange) =>
    editAssistants(
      exchange,
      allEdits(changeField('temperature', roundTo32Bits), changeField('top_p', roundTo32Bits)),
    ),
  ),
];

function editAssistants(exchange: Exchange, edit: Edit): Exchange {
  if (callsOperation(exchange, 'retrieveAssistant')) return withResponseJson(exchange, edit);
  if (!callsOperation(exchange, 'listAssistants')) return exchange;
  return withResponseJson(
    exchange,
    changeField('data', (data) => arrayAt(data).map(edit)),
  );
}

function changeField(field: string, edit: Edit): Edit {
  return (assistant) =>
    valueAtPath(assistant, field) === undefined
      ? assistant
      : setValue(`/${field}`, (old) => edit(old ?? null))(assistant);
}

function roundTo32Bits(value: Json): Json {
  return typeof value === 'number' ? Math.fround(value) : value;
}
