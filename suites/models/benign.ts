import type { Exchange } from '../../exchange/exchange.ts';
import { calls } from '../../judge/edit/breaks.ts';
import { withAnswer } from '../../judge/edit/exchanges.ts';
import { put } from '../../judge/edit/values.ts';
import { type Benign, ofEach } from '../../judge/proof/benign/benign.ts';

/** A name that stands for a dated model is answered with that one. */
export const benign: readonly Benign[] = [
  {
    ...ofEach('models that are retrieved by a fuller name', (exchange: Exchange) =>
      calls(exchange, 'retrieveModel')
        ? withAnswer(
            exchange,
            put('/id', (id) => `${id}-0613`),
          )
        : exchange,
    ),
    blinds: true,
  },
];
