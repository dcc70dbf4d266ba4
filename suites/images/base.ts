import type { Stage } from '../../drive/scenario.ts';
import { base, type Ready } from '../generate/base.ts';
import { bmp, png } from '../generate/files.ts';
import { mask, opaque, prompt, transparent } from './samples.ts';

/** Four megabytes each, which the other probes need not make again and again. */
const leave = { 'file.*#maxBytes.*': 'large pictures are sent by a scenario of their own' };

/** A size that only the later model draws is none of these. */
const sizes = ['256x256', '512x512', '1024x1024'].map((size) => ({
  control: { size },
  violation: { size: '1792x1024' },
}));

/** The earlier model draws small pictures, and many of them. */
export const createImage = base({
  operation: 'createImage',
  roles: ['image-v2'],
  ready: (stage) => ({
    fields: { prompt },
    cheap: { model: stage.model('image-v2'), size: '256x256' },
    samples: { model: () => stage.model('image-v2') },
  }),
});

/** What the two models take differs: the root of the schema says what one of them takes. */
export const createImageOfEither = base({
  operation: 'createImage',
  roles: ['image-v2', 'image-v3'],
  only: ['body.prompt', 'body.size'],
  ready: (stage) => ({
    fields: { prompt },
    cheap: { model: stage.model('image-v2'), size: '256x256' },
    companions: (field, value) => (needsLater(field, value) ? later(stage) : {}),
  }),
});

export const createImageOfLater = base({
  operation: 'createImage',
  roles: ['image-v3'],
  only: ['body.quality', 'body.style'],
  ready: (stage) => ({ fields: { prompt }, cheap: later(stage) }),
});

export const createImageEdit = base({
  operation: 'createImageEdit',
  leave,
  ready: (stage) => ({
    fields: { image: transparent(), prompt },
    cheap: { size: '256x256' },
    samples: { model: () => stage.model('image-v2') },
    rules: {
      'body.size#enum': sizes,
      'file.image#formats': [
        {
          control: { image: opaque(), mask: mask() },
          violation: { image: bmp('image.bmp', 64, 64), mask: mask() },
        },
      ],
      'file.image#square': [
        {
          control: { image: transparent() },
          violation: { image: png('wide.png', { width: 64, height: 48, transparent: true }) },
        },
      ],
      'file.image#transparentUnless': [
        { control: { image: transparent() }, violation: { image: opaque() } },
        { control: { image: opaque(), mask: mask() } },
      ],
      'file.mask#formats': [{ control: { mask: mask() }, violation: { mask: bmp('mask.bmp', 64, 64) } }],
      'file.mask#sameSizeAs': [
        {
          control: { mask: mask() },
          violation: { mask: png('mask.png', { width: 32, height: 32, transparent: true }) },
        },
      ],
    },
  }),
});

export const createImageVariation = base({
  operation: 'createImageVariation',
  leave,
  ready: (stage) => ({
    fields: { image: opaque() },
    cheap: { size: '256x256' },
    samples: { model: () => stage.model('image-v2') },
    rules: {
      'body.size#enum': sizes,
      'file.image#formats': [
        { control: { image: opaque() }, violation: { image: bmp('image.bmp', 64, 64) } },
      ],
      'file.image#square': [
        { control: { image: opaque() }, violation: { image: png('wide.png', { width: 64, height: 48 }) } },
      ],
    },
  }),
});

function later(stage: Stage): NonNullable<Ready['cheap']> {
  return { model: stage.model('image-v3'), size: '1024x1024' };
}

/** Whether only the later model takes a value. */
function needsLater(field: string, value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return field === 'prompt' ? value.length > 1000 : value.includes('1792');
}
