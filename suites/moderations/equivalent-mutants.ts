import { allEdits, callsOperation, setValue } from '../vocabulary/changes.ts';
import { inEachExchange, withResponseJson } from '../vocabulary/exchanges.ts';
import type { Edit, EquivalentMutant, Exchange } from '../vocabulary/types.ts';

/** Forms of moderation that the specification leaves open, each in the other way. */
export const equivalentMutants: readonly EquivalentMutant[] = [
  inModerations('moderations by a model of another name', setValue('/model', 'text-moderation-007')),
  inModerations(
    'an additional category',
    allEdits(setValue('/results/*/categories/spam', true), setValue('/results/*/category_scores/spam', 0.9)),
  ),
  inModerations(
    'scores of another range',
    setValue('/results/*/category_scores/violence', (old) => Number(old) * 100),
  ),
];

function inModerations(name: string, edit: Edit): EquivalentMutant {
  return inEachExchange(name, (exchange: Exchange) =>
    callsOperation(exchange, 'createModeration') ? withResponseJson(exchange, edit) : exchange,
  );
}
