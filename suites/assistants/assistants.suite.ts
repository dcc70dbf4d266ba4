import { scenario } from '../../drive/scenario/scenario.ts';
import { createSampleAssistant, OTHER_ROLES, otherModel } from './samples.ts';

export const otherModels = (['v2', 'v1'] as const).map((variant) =>
  scenario({
    name: `assistants-${variant}.other-model`,
    operations: ['createAssistant', 'modifyAssistant', 'retrieveAssistant'],
    roles: ['assistant', ...OTHER_ROLES],
    run: async (context) => {
      const model = otherModel(context);
      if (model === null) return;
      const path = { assistant_id: await createSampleAssistant(context, variant) };
      await context.call('modifyAssistant', { path, variant, body: { model } });
      await context.call('retrieveAssistant', { path, variant });
      await context.call('createAssistant', { variant, body: { model } });
    },
  }),
);
