import { at } from '../../drive/answer.ts';
import { type Answer, type FormPart, type Stage, scenario } from '../../drive/scenario.ts';
import type { Json } from '../../exchange/body.ts';
import { authScenarios } from '../generate/auth.ts';
import { parts } from '../generate/carry.ts';
import { probeScenarios } from '../generate/scenarios.ts';
import * as bases from './base.ts';
import { mask, opaque, prompt, small, transparent } from './samples.ts';

export const probes = probeScenarios(Object.values(bases));

export const auth = authScenarios(Object.values(bases));

const answers = [
  'images:*',
  'image:*',
  'images.answer.*',
  'images.times.in-seconds',
  'images.url.scheme',
  'images.revised-prompt.untold',
];
const bases64 = ['images.answer.base64-*', 'images.answer.size-as-asked', 'images.answer.format'];
const looks = ['images.url.leads-somewhere', 'images.url.is-an-image', 'images.url.size-as-asked'];

/** Both forms, several images, each size; sizes and formats are read from the images themselves. */
export const earlier = scenario({
  name: 'images.create.earlier-model',
  family: 'images',
  operations: ['createImage'],
  shows: [...answers, ...looks, 'createImage:answer#*'],
  cost: ['images'],
  roles: ['image-v2'],
  run: async (stage) => {
    await look(stage, await create(stage, small(stage, 'image-v2')));
    await look(stage, await create(stage, small(stage, 'image-v2', { n: 2, response_format: 'url' })));
    await create(stage, small(stage, 'image-v2', { n: 2, response_format: 'b64_json', user: 'assay' }));
    await create(stage, small(stage, 'image-v2', { size: '512x512', response_format: 'b64_json' }));
    const { size: _, ...unsized } = small(stage, 'image-v2', { response_format: 'b64_json' });
    await create(stage, unsized);
  },
});

export const later = scenario({
  name: 'images.create.later-model',
  family: 'images',
  operations: ['createImage'],
  shows: ['images:*', 'image:*', ...bases64, 'images.answer.count', 'createImage:answer#*'],
  cost: ['images'],
  roles: ['image-v3'],
  run: async (stage) => {
    const body = { ...small(stage, 'image-v3'), response_format: 'b64_json' };
    await create(stage, { ...body, size: '1792x1024', quality: 'hd', style: 'natural' });
    await create(stage, { ...body, size: '1024x1792' });
  },
});

/** The mask says where to redraw, or else the image itself. */
export const edits = scenario({
  name: 'images.edit',
  family: 'images',
  operations: ['createImageEdit'],
  shows: [...answers, ...looks, 'createImageEdit:answer#*'],
  cost: ['images'],
  roles: ['image-v2'],
  run: async (stage) => {
    const common = { prompt, size: '256x256' };
    const form = parts({ image: transparent(), ...common });
    await look(stage, await stage.call('createImageEdit', { form }));
    const masked = { image: opaque(), mask: mask(), model: stage.model('image-v2'), n: 2, user: 'assay' };
    await base64(stage, 'createImageEdit', parts({ ...masked, ...common }));
    await base64(stage, 'createImageEdit', parts({ image: transparent(), prompt, size: '512x512' }));
  },
});

export const variations = scenario({
  name: 'images.variation',
  family: 'images',
  operations: ['createImageVariation'],
  shows: [...answers, ...looks, 'createImageVariation:answer#*'],
  cost: ['images'],
  roles: ['image-v2'],
  run: async (stage) => {
    const form = parts({ image: opaque(), size: '256x256' });
    await look(stage, await stage.call('createImageVariation', { form }));
    const several = { image: opaque(), model: stage.model('image-v2'), n: 2, size: '256x256', user: 'assay' };
    await base64(stage, 'createImageVariation', parts(several));
    await base64(stage, 'createImageVariation', parts({ image: opaque(), size: '512x512' }));
  },
});

function create(stage: Stage, body: Readonly<Record<string, Json>>): Promise<Answer> {
  return stage.call('createImage', { body });
}

function base64(stage: Stage, operation: string, form: readonly FormPart[]): Promise<Answer> {
  return stage.call(operation, { form: [...form, { name: 'response_format', value: 'b64_json' }] });
}

/** Gets every image of an answer from its URL. */
async function look(stage: Stage, answer: Answer): Promise<void> {
  const data = at(answer.json, '/data');
  for (const i of Array.isArray(data) ? data.keys() : []) {
    const url = at(answer.json, `/data/${i}/url`);
    if (typeof url === 'string') await stage.download(url);
  }
}
