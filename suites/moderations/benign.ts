import type { Exchange } from '../../exchange/exchange.ts';
import { calls } from '../../judge/edit/breaks.ts';
import { withAnswer } from '../../judge/edit/exchanges.ts';
import { all, type Edit, put } from '../../judge/edit/values.ts';
import { type Benign, ofEach } from '../../judge/proof/benign/benign.ts';

/** What the specification leaves open about moderation, done in the other way. */
export const benign: readonly Benign[] = [
  inModerations('moderations by a model of another name', put('/model', 'text-moderation-007')),
  inModerations(
    'a category of its own',
    all(put('/results/*/categories/spam', true), put('/results/*/category_scores/spam', 0.9)),
  ),
  inModerations(
    'scores of another range',
    put('/results/*/category_scores/violence', (old) => Number(old) * 100),
  ),
];

function inModerations(name: string, edit: Edit): Benign {
  return ofEach(name, (exchange: Exchange) =>
    calls(exchange, 'createModeration') ? withAnswer(exchange, edit) : exchange,
  );
}
