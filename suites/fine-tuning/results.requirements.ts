import { rowOf } from '../rows/rows.ts';
import { textAt } from '../vocabulary/json.ts';
import { violation } from '../vocabulary/statements.ts';
import type { CallSuccession, ResponseEvidence } from '../vocabulary/types.ts';

/** The name of a base model that is itself fine-tuned begins with ft, so the row excludes models with a colon. */
export const fineTuningResultsModelOfBase = rowOf<ResponseEvidence>('fine-tuning.results.model-of-base', {
  check: ({ answer }) => {
    const [base, actual] = [textAt(answer, 'model'), textAt(answer, 'fine_tuned_model')];
    const isOf = actual?.startsWith(`ft:${base}:`) === true;
    return isOf ? [] : [violation('/fine_tuned_model', `ft:${base}:…`, actual)];
  },
});

/** The handling of characters that are not valid in names is left open, so the row excludes other suffixes. */
export const fineTuningResultsSuffix = rowOf<CallSuccession>('fine-tuning.results.suffix', {
  check: ({ before, after }) => {
    const [wanted, actual] = [
      textAt(before.requestJson, 'suffix'),
      textAt(after.responseJson, 'fine_tuned_model'),
    ];
    return actual?.includes(`:${wanted}`) ? [] : [violation('/fine_tuned_model', `ft:…:${wanted}:…`, actual)];
  },
});
