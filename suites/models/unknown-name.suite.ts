import { scenario } from '../../drive/scenario/scenario.ts';
import { violationLabel } from '../generate/rule-probes.ts';
import { UNKNOWN_MODEL, UNKNOWN_MODEL_USES } from './samples.ts';

/** Requests that name a nonexistent model, wherever any model id is permitted. */
export const unknownNames = UNKNOWN_MODEL_USES.map(({ family, form, operation, cost, fields }) =>
  scenario({
    name: `${family}.unknown-model`,
    family: form,
    operations: [operation],
    cost: [cost],
    run: async (context) => {
      const label = violationLabel(operation, 'body.model#unknown');
      await context.call(operation, { ...label, body: { ...fields, model: UNKNOWN_MODEL } });
    },
  }),
);
