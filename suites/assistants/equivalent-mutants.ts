import { allEdits, callsOperation, setValue } from '../vocabulary/changes.ts';
import { inEachExchange } from '../vocabulary/equivalents.ts';
import { withResponseJson } from '../vocabulary/exchanges.ts';
import { arrayAt, valueAtPath } from '../vocabulary/json.ts';
import type { Edit, EquivalentMutant, Exchange } from '../vocabulary/types.ts';

export const equivalentMutants: readonly EquivalentMutant[] = [
  inEachExchange('fractions of assistants rounded to 32 bits', (exchange) =>
    editAssistants(
      exchange,
      allEdits(changeField('temperature', addRoundingError), changeField('top_p', addRoundingError)),
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

/** Adds an error below the precision of 32 bits to a fraction. */
function addRoundingError(value: Parameters<Edit>[0]): ReturnType<Edit> {
  return typeof value !== 'number' || Number.isInteger(value) ? value : value * (1 + 1e-9);
}
