import { crashOnValid, rejectValid, requireField } from '../deviations/changes.ts';
import type { Fault } from '../deviations/hooks.ts';

const on = ['createModeration'];

export const faults: readonly Fault[] = [
  {
    id: 'moderations-model-required',
    says: 'rejects requests without a model',
    filed: 'BerriAI/litellm#4336',
    requirement: 'createModeration:body#required.accepted',
    on,
    does: requireField('model'),
  },
  {
    id: 'moderations-latest-refused',
    says: 'rejects the model text-moderation-latest',
    filed: 'BerriAI/litellm#4336',
    requirement: 'createModeration:body.model#enum.accepted',
    on,
    does: rejectValid('model', (model) => model === 'text-moderation-latest'),
  },
  {
    id: 'moderations-list-crashes',
    says: 'answers 500 if the input is a list of texts',
    filed: 'cloud-apim/otoroshi-llm-extension#182',
    requirement: 'createModeration:body.input#type.accepted',
    on,
    does: crashOnValid('input', (input) => Array.isArray(input)),
  },
];
