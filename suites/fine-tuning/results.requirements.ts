import { rowOf } from '../rows/rows.ts';
import { textAt } from '../vocabulary/json.ts';
import { violation } from '../vocabulary/statements.ts';
import type { CallSuccession, ResponseEvidence } from '../vocabulary/types.ts';

/** The row excludes base models that are themselves fine-tuned: their names contain a colon. */
export const fineTuningResultsModelOfBase = rowOf<ResponseEvidence>('fine-tuning.results.model-of-base', {
  check: ({ answer }) => {
    const [base, actual] = [textAt(answer, 'model'), textAt(answer, 'fine_tuned_model')];
    return actual?.startsWith(`ft:${base}:`) ? [] : [violation('/fine_tuned_model', `ft:${base}:…`, actual)];
  },
});

/** The row excludes suffixes whose handling the specification leaves open: too long ones, and some characters. */
export const fineTuningResultsSuffix = rowOf<CallSuccession>('fine-tuning.results.suffix', {
  check: ({ before, after }) => {
    const suffix = textAt(before.requestJson, 'suffix') ?? '';
    const actual = textAt(after.responseJson, 'fine_tuned_model');
    return actual?.split(':').includes(suffix)
      ? []
      : [violation('/fine_tuned_model', `ft:…:${suffix}:…`, actual)];
  },
});
