import { rowOf } from '../rows/rows.ts';
import { setIn } from '../vocabulary/changes.ts';
import { textAt } from '../vocabulary/json.ts';
import { responses, shows, showsText, successions, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { CallSuccession } from '../vocabulary/types.ts';

const { stated } = section('2 Fine-tuning job');

const succeeded = where(responses('retrieveFineTuningJob'), shows('status', 'succeeded'));

const named = where(succeeded, showsText('fine_tuned_model'));

export const fineTuningResultsModelOfBase = stated('fine-tuning.results.model-of-base', {
  says: 'The name of a new model begins with ft and its base model.',
  // The name of a base model that is itself fine-tuned begins with ft.
  selector: where(
    named,
    that('with a model that has no colon', ({ answer }) => textAt(answer, 'model')?.includes(':') === false),
  ),
  check: ({ answer }) => {
    const [base, actual] = [textAt(answer, 'model'), textAt(answer, 'fine_tuned_model')];
    const isOf = actual?.startsWith(`ft:${base}:`) === true;
    return isOf ? [] : [violation('/fine_tuned_model', `ft:${base}:…`, actual)];
  },
  mutations: {
    'another base': setIn('retrieveFineTuningJob', '/fine_tuned_model', 'ft:another:org:suffix:id'),
    'no prefix': setIn('retrieveFineTuningJob', '/fine_tuned_model', (name) =>
      typeof name === 'string' ? name.replace(/^ft:/, '') : null,
    ),
  },
});

/** The handling of characters that are not valid in names is left open. */
const withPlainSuffix = that<CallSuccession>(
  'of a job with a suffix of small letters, digits and hyphens',
  ({ before }) => /^[a-z0-9-]+$/.test(textAt(before.requestJson, 'suffix') ?? ''),
);

export const fineTuningResultsSuffix = rowOf('fine-tuning.results.suffix', {
  evidence: where(
    successions({ first: 'createFineTuningJob', later: 'retrieveFineTuningJob' }),
    withPlainSuffix,
    showsText('fine_tuned_model'),
  ),
  check: ({ before, after }) => {
    const [wanted, actual] = [
      textAt(before.requestJson, 'suffix'),
      textAt(after.responseJson, 'fine_tuned_model'),
    ];
    return actual?.includes(`:${wanted}`) ? [] : [violation('/fine_tuned_model', `ft:…:${wanted}:…`, actual)];
  },
});
