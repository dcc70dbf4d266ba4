import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import { baseRequest, type ReadyRequest } from '../generate/requests.ts';
import { bmpFile, pngFile } from '../generate/sample-files.ts';
import { maskImage, opaqueImage, transparentImage } from './samples.ts';

/** A picture of four megabytes is sent by one scenario only; the probes of other fields do not repeat it. */
const leave = { 'file.*#maxBytes.*': 'large pictures are sent by a separate scenario' };

/** The earlier model is used because it draws small images, and several per request. It is the default. */
export const createImage = baseRequest({
  operation: 'createImage',
  optionalRoles: ['image-v2'],
  ready: (context) => ({
    cheap: { ...context.modelField('image-v2'), size: '256x256' },
    samples: { model: () => context.model('image-v2') },
  }),
});

/**
 * The two models accept different values: the root of the request schema has the constraints of one of them.
 */
export const createImageOfEither = baseRequest({
  operation: 'createImage',
  roles: ['image-v2', 'image-v3'],
  only: ['body.prompt', 'body.size'],
  ready: (context) => ({
    cheap: { model: context.model('image-v2'), size: '256x256' },
    companions: (field, value) => (needsLater(field, value) ? later(context) : {}),
  }),
});

/** Options of the later model only (part 2, "Images"). */
export const createImageOfLater = baseRequest({
  operation: 'createImage',
  roles: ['image-v3'],
  only: ['body.quality', 'body.style'],
  ready: (context) => ({ cheap: later(context) }),
});

export const createImageEdit = baseRequest({
  operation: 'createImageEdit',
  optionalRoles: ['image-v2'],
  leave,
  ready: (context) => ({
    fields: { image: transparentImage() },
    samples: { model: () => context.model('image-v2') },
    rules: {
      'file.image#formats': [
        {
          control: { image: opaqueImage(), mask: maskImage() },
          violation: { image: bmpFile('image.bmp', 64, 64), mask: maskImage() },
        },
      ],
      'file.image#square': [
        {
          control: { image: transparentImage() },
          violation: { image: pngFile('wide.png', { width: 64, height: 48, transparent: true }) },
        },
      ],
      'file.image#transparentUnless': [
        { control: { image: transparentImage() }, violation: { image: opaqueImage() } },
        { control: { image: opaqueImage(), mask: maskImage() } },
      ],
      'file.mask#formats': [
        { control: { mask: maskImage() }, violation: { mask: bmpFile('mask.bmp', 64, 64) } },
      ],
      'file.mask#sameSizeAs': [
        {
          control: { mask: maskImage() },
          violation: { mask: pngFile('mask.png', { width: 32, height: 32, transparent: true }) },
        },
      ],
    },
  }),
});

export const createImageVariation = baseRequest({
  operation: 'createImageVariation',
  optionalRoles: ['image-v2'],
  leave,
  ready: (context) => ({
    fields: { image: opaqueImage() },
    samples: { model: () => context.model('image-v2') },
    rules: {
      'file.image#formats': [
        { control: { image: opaqueImage() }, violation: { image: bmpFile('image.bmp', 64, 64) } },
      ],
      'file.image#square': [
        {
          control: { image: opaqueImage() },
          violation: { image: pngFile('wide.png', { width: 64, height: 48 }) },
        },
      ],
    },
  }),
});

function later(context: ScenarioContext): NonNullable<ReadyRequest['cheap']> {
  return { model: context.model('image-v3'), size: '1024x1024' };
}

/** Whether only the later model accepts a value. */
function needsLater(field: string, value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return field === 'prompt' ? value.length > 1000 : value.includes('1792');
}
