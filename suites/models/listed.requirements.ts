import { isSameModel } from '../rows/model-names.ts';
import { rowOf } from '../rows/rows.ts';
import { textAt, valueAtPath } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Violation } from '../vocabulary/types.ts';
import { type ListedModel, listedModels } from './model-lists.ts';

const withFoundModel = that<ListedModel>(
  'that is found, with an id',
  ({ retrieved }) => textAt(retrieved.responseJson, 'id') !== undefined,
);

export const modelsRetrieveAsListed = rowOf('models.retrieve.as-listed', {
  evidence: where(listedModels, withFoundModel),
  check: ({ listed, retrieved }): readonly Violation[] => {
    const [expected, actual] = [textAt(listed, 'id'), textAt(retrieved.responseJson, 'id')];
    if (!isSameModel(expected, actual)) return [violation('/id', `${expected}`, actual)];
    // The model behind an alias may be older or newer than the alias.
    const fields = expected === actual ? ['object', 'created', 'owned_by'] : ['object', 'owned_by'];
    return fields.flatMap((field) => {
      const [wanted, shown] = [valueAtPath(listed, field), valueAtPath(retrieved.responseJson, field)];
      return wanted === shown ? [] : [violation(`/${field}`, JSON.stringify(wanted) ?? 'nothing', shown)];
    });
  },
});
