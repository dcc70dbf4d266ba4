// Scenarios for the earlier image model, which alone has small images, edits and variations.
import { type CallInput, scenario } from '../../drive/scenario/scenario.ts';
import { formParts, type LooseFields } from '../generate/requests.ts';
import { sendRuleProbes } from '../generate/rule-probes.ts';
import { pngFile } from '../generate/sample-files.ts';
import { opaqueImage, prompt } from './samples.ts';

/** File sizes: valid by both definitions of `under 4 MB`, invalid by both, and valid by one of them. */
const VALID_BYTES = 3_999_999;
const INVALID_BYTES = 4 * 1024 * 1024;
const DISPUTED_BYTES = 4_100_000;

/** Only the earlier model makes small images, so a request for one without a model shows whether it is the default. */
export const imagesDefaultModelScenario = scenario({
  name: 'images.default-model',
  operations: ['createImage'],
  roles: ['image-v2'],
  run: async (context) => {
    const label = { pointer: 'body.model', keyword: 'default-model', side: 'valid' } as const;
    const control = 'createImage:body.model#default-model.valid1';
    const body = { prompt, size: '256x256' };
    await context.call('createImage', {
      body: { ...context.modelField('image-v2'), ...body },
      probe: { ...label, id: control, control: null },
    });
    await context.call('createImage', {
      body,
      probe: { ...label, id: 'createImage:body.model#default-model.valid2', control },
    });
  },
});

export const imagesLargeScenario = scenario({
  name: 'images.large',
  operations: ['createImageEdit', 'createImageVariation'],
  cost: ['images', 'large'],
  roles: ['image-v2'],
  run: async (context) => {
    const size = '256x256';
    const probeSizes = (operation: string, field: string, requestOfSize: (bytes: number) => CallInput) =>
      sendRuleProbes(context, {
        operation,
        pointer: `file.${field}`,
        keyword: 'maxBytes',
        keeping: [requestOfSize(VALID_BYTES)],
        breaking: [requestOfSize(INVALID_BYTES)],
      });
    await probeSizes('createImageEdit', 'image', (bytes) =>
      form({ image: uploadOfSize('image', bytes), prompt, size }),
    );
    await probeSizes('createImageEdit', 'mask', (bytes) =>
      form({ image: opaqueImage(), mask: uploadOfSize('mask', bytes), prompt, size }),
    );
    const variationOf = (bytes: number) => form({ image: uploadOfSize('image', bytes), size });
    await probeSizes('createImageVariation', 'image', variationOf);
    await sendRuleProbes(context, {
      operation: 'createImageVariation',
      pointer: 'file.image',
      keyword: 'megabyte',
      keeping: [variationOf(DISPUTED_BYTES)],
    });
  },
});

function form(fields: LooseFields): CallInput {
  return { form: formParts(fields) };
}

function uploadOfSize(field: string, bytes: number) {
  return pngFile(`${field}.png`, { width: 64, height: 64, transparent: true, bytes });
}
