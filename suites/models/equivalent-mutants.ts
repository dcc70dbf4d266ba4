import { setValue } from '../vocabulary/changes.ts';
import { inAnswersOf } from '../vocabulary/equivalents.ts';
import type { EquivalentMutant } from '../vocabulary/types.ts';

/** A request for an alias has the dated model in its response. */
export const mutants: readonly EquivalentMutant[] = [
  {
    ...inAnswersOf(
      'retrieveModel',
      'models that are retrieved by a longer name',
      setValue('/id', (id) => `${id}-0613`),
    ),
    blinds: true,
  },
];
