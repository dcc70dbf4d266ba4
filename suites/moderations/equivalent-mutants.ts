import { allEdits, setValue } from '../vocabulary/changes.ts';
import { inAnswersOf } from '../vocabulary/equivalents.ts';
import type { EquivalentMutant } from '../vocabulary/types.ts';

const MODERATE = 'createModeration';

/** Forms of moderation that the specification leaves open, each in the other way. */
export const equivalentMutants: readonly EquivalentMutant[] = [
  inAnswersOf(MODERATE, 'moderations by a model of another name', setValue('/model', 'text-moderation-007')),
  inAnswersOf(
    MODERATE,
    'an additional category',
    allEdits(setValue('/results/*/categories/spam', true), setValue('/results/*/category_scores/spam', 0.9)),
  ),
  inAnswersOf(
    MODERATE,
    'scores of another range',
    setValue('/results/*/category_scores/violence', (old) => Number(old) * 100),
  ),
];
