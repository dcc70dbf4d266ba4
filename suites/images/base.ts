import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import { baseRequest, type ReadyRequest } from '../generate/base.ts';
import { bmpFile, pngFile } from '../generate/files/sample-files.ts';
import { maskImage, opaqueImage, prompt, transparentImage } from './samples.ts';

/** Four megabytes each, which the other probes need not make again and again. */
const leave = { 'file.*#maxBytes.*': 'large pictures are sent by a scenario of their own' };

/** A size that only the later model draws is none of these. */
const sizes = ['256x256', '512x512', '1024x1024'].map((size) => ({
  control: { size },
  violation: { size: '1792x1024' },
}));

/** The earlier model draws small pictures, and many of them. */
export const createImage = baseRequest({
  operation: 'createImage',
  roles: ['image-v2'],
  ready: (context) => ({
    fields: { prompt },
    cheap: { model: context.model('image-v2'), size: '256x256' },
    samples: { model: () => context.model('image-v2') },
  }),
});

/** What the two models take differs: the root of the schema says what one of them takes. */
export const createImageOfEither = baseRequest({
  operation: 'createImage',
  roles: ['image-v2', 'image-v3'],
  only: ['body.prompt', 'body.size'],
  ready: (context) => ({
    fields: { prompt },
    cheap: { model: context.model('image-v2'), size: '256x256' },
    companions: (field, value) => (needsLater(field, value) ? later(context) : {}),
  }),
});

export const createImageOfLater = baseRequest({
  operation: 'createImage',
  roles: ['image-v3'],
  only: ['body.quality', 'body.style'],
  ready: (context) => ({ fields: { prompt }, cheap: later(context) }),
});

export const createImageEdit = baseRequest({
  operation: 'createImageEdit',
  leave,
  ready: (context) => ({
    fields: { image: transparentImage(), prompt },
    cheap: { size: '256x256' },
    samples: { model: () => context.model('image-v2') },
    rules: {
      'body.size#enum': sizes,
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
  leave,
  ready: (context) => ({
    fields: { image: opaqueImage() },
    cheap: { size: '256x256' },
    samples: { model: () => context.model('image-v2') },
    rules: {
      'body.size#enum': sizes,
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

/** Whether only the later model takes a value. */
function needsLater(field: string, value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return field === 'prompt' ? value.length > 1000 : value.includes('1792');
}
