import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import { baseRequest, type ReadyRequest } from '../generate/requests.ts';

/** Probes name the earlier model, except those with a long prompt or a wide size, which that model rejects. */
export const createImageWithEitherModel = baseRequest({
  operation: 'createImage',
  roles: ['image-v2', 'image-v3'],
  only: ['body.prompt', 'body.size'],
  ready: (context) => ({
    cheap: { model: context.model('image-v2'), size: '256x256' },
    companions: (field, value) => (needsLaterModel(field, value) ? laterModelFields(context) : {}),
  }),
});

/** Probes the options that only the later model has (part 2, "Images"). */
export const createImageWithLaterModel = baseRequest({
  operation: 'createImage',
  roles: ['image-v3'],
  only: ['body.quality', 'body.style'],
  ready: (context) => ({ cheap: laterModelFields(context) }),
});

function laterModelFields(context: ScenarioContext): NonNullable<ReadyRequest['cheap']> {
  return { model: context.model('image-v3'), size: '1024x1024' };
}

function needsLaterModel(field: string, value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return field === 'prompt' ? value.length > 1000 : value.includes('1792');
}
