import { valueAt } from '../../drive/scenario/call-result.ts';
import {
  type CallResult,
  type FormPart,
  type ScenarioContext,
  scenario,
} from '../../drive/scenario/scenario.ts';
import { formParts } from '../generate/requests.ts';
import type { Json } from '../vocabulary/types.ts';
import { maskImage, opaqueImage, prompt, smallestRequest, transparentImage } from './samples.ts';

/** Both forms, several images, each size. Sizes and formats are read from the images themselves. */
export const earlierModel = scenario({
  name: 'images.create.earlier-model',
  operations: ['createImage'],
  optionalRoles: ['image-v2'],
  run: async (context) => {
    await downloadAll(context, await create(context, smallestRequest(context, 'image-v2')));
    await downloadAll(
      context,
      await create(context, smallestRequest(context, 'image-v2', { n: 2, response_format: 'url' })),
    );
    await create(
      context,
      smallestRequest(context, 'image-v2', { n: 2, response_format: 'b64_json', user: 'assay' }),
    );
    await create(
      context,
      smallestRequest(context, 'image-v2', { size: '512x512', response_format: 'b64_json' }),
    );
    const { size: _, ...unsized } = smallestRequest(context, 'image-v2', { response_format: 'b64_json' });
    await create(context, unsized);
  },
});

export const laterModel = scenario({
  name: 'images.create.later-model',
  operations: ['createImage'],
  roles: ['image-v3'],
  run: async (context) => {
    const body = { ...smallestRequest(context, 'image-v3'), response_format: 'b64_json' };
    await create(context, { ...body, size: '1792x1024', quality: 'hd', style: 'natural' });
    await create(context, { ...body, size: '1024x1792' });
  },
});

/** The transparent area of the mask, or of the image without a mask, is redrawn. */
export const imagesEditScenario = scenario({
  name: 'images.edit',
  operations: ['createImageEdit'],
  optionalRoles: ['image-v2'],
  run: runImagesEdit,
});

async function runImagesEdit(context: ScenarioContext): Promise<void> {
  const common = { prompt, size: '256x256' };
  const form = formParts({ image: transparentImage(), ...common });
  await downloadAll(context, await context.call('createImageEdit', { form }));
  const masked = {
    image: opaqueImage(),
    mask: maskImage(),
    ...context.modelField('image-v2'),
    n: 2,
    user: 'assay',
  };
  await base64(context, 'createImageEdit', formParts({ ...masked, ...common }));
  await base64(context, 'createImageEdit', formParts({ image: transparentImage(), prompt, size: '512x512' }));
  const unsized = formParts({ image: transparentImage(), prompt });
  await base64(context, 'createImageEdit', unsized);
  await downloadAll(context, await context.call('createImageEdit', { form: unsized }));
}

export const imagesVariationScenario = scenario({
  name: 'images.variation',
  operations: ['createImageVariation'],
  optionalRoles: ['image-v2'],
  run: async (context) => {
    const form = formParts({ image: opaqueImage(), size: '256x256' });
    await downloadAll(context, await context.call('createImageVariation', { form }));
    const several = {
      image: opaqueImage(),
      ...context.modelField('image-v2'),
      n: 2,
      size: '256x256',
      user: 'assay',
    };
    await base64(context, 'createImageVariation', formParts(several));
    await base64(context, 'createImageVariation', formParts({ image: opaqueImage(), size: '512x512' }));
    const unsized = formParts({ image: opaqueImage() });
    await base64(context, 'createImageVariation', unsized);
    await downloadAll(context, await context.call('createImageVariation', { form: unsized }));
  },
});

function create(context: ScenarioContext, body: Readonly<Record<string, Json>>): Promise<CallResult> {
  return context.call('createImage', { body });
}

function base64(context: ScenarioContext, operation: string, form: readonly FormPart[]): Promise<CallResult> {
  return context.call(operation, { form: [...form, { name: 'response_format', value: 'b64_json' }] });
}

/** Downloads every image of a response from its URL. */
async function downloadAll(context: ScenarioContext, result: CallResult): Promise<void> {
  const data = valueAt(result.json, '/data');
  for (const i of Array.isArray(data) ? data.keys() : []) {
    const url = valueAt(result.json, `/data/${i}/url`);
    if (typeof url === 'string') await context.download(url);
  }
}
