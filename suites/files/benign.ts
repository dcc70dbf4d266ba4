import type { Json } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { calls } from '../../judge/edit/breaks.ts';
import { withAnswer } from '../../judge/edit/exchanges.ts';
import { put } from '../../judge/edit/values.ts';
import { list, text } from '../../judge/json.ts';
import { type Benign, ofEach } from '../../judge/proof/benign/benign.ts';

const TELLING = ['createFile', 'retrieveFile', 'listFiles'];

/** What the specification leaves open about files, done in the other way. */
export const benign: readonly Benign[] = [
  ofEach('filenames of the service’s own', (exchange: Exchange) =>
    TELLING.some((operation) => calls(exchange, operation)) ? withAnswer(exchange, renamed) : exchange,
  ),
];

function renamed(answer: Json): Json {
  const own = (value: Json): Json =>
    text(value, 'filename') === undefined
      ? value
      : put('/filename', (name) =>
          String(name)
            .replaceAll(/[^\w.]/g, '_')
            .toUpperCase(),
        )(value);
  const data = list(answer, 'data');
  return data.length === 0 ? own(answer) : put('/data', data.map(own))(answer);
}
