import { callsOperation, setValue } from '../vocabulary/changes.ts';
import { inEachExchange, withResponseJson } from '../vocabulary/exchanges.ts';
import { arrayAt, textAt } from '../vocabulary/json.ts';
import type { EquivalentMutant, Exchange, Json } from '../vocabulary/types.ts';

const TELLING = ['createFile', 'retrieveFile', 'listFiles'];

/** Forms of files that the specification leaves open, each in the other way. */
export const mutants: readonly EquivalentMutant[] = [
  inEachExchange('filenames chosen by the service', (exchange: Exchange) =>
    TELLING.some((operation) => callsOperation(exchange, operation))
      ? withResponseJson(exchange, renamed)
      : exchange,
  ),
];

function renamed(answer: Json): Json {
  const own = (value: Json): Json =>
    textAt(value, 'filename') === undefined
      ? value
      : setValue('/filename', (name) =>
          String(name)
            .replaceAll(/[^\w.]/g, '_')
            .toUpperCase(),
        )(value);
  const data = arrayAt(answer, 'data');
  return data.length === 0 ? own(answer) : setValue('/data', data.map(own))(answer);
}
