import { type CallInput, type ScenarioContext, scenario } from '../../drive/scenario/scenario.ts';
import { formParts } from '../generate/requests.ts';
import { sendRuleProbes } from '../generate/rule-probes.ts';
import { pngFile } from '../generate/sample-files.ts';
import { opaqueImage, prompt } from './samples.ts';

/** Sizes in bytes: below the limit and above it under both definitions of a megabyte, and between the two. */
const UNDER = 3_999_999;
const BEYOND = 4 * 1024 * 1024;
const BETWEEN = 4_100_000;

/** Only the earlier model supports small images, so such a request without a model shows the default model. */
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

/** Real pictures at the limit of four megabytes. */
export const imagesLargeScenario = scenario({
  name: 'images.large',
  operations: ['createImageEdit', 'createImageVariation'],
  cost: ['images', 'large'],
  roles: ['image-v2'],
  run: runImagesLarge,
});

async function runImagesLarge(context: ScenarioContext): Promise<void> {
  const size = '256x256';
  const plan = (operation: string, field: string, requestOfSize: (bytes: number) => CallInput) =>
    sendRuleProbes(context, {
      operation,
      pointer: `file.${field}`,
      keyword: 'maxBytes',
      keeping: [requestOfSize(UNDER)],
      breaking: [requestOfSize(BEYOND)],
    });
  await plan('createImageEdit', 'image', (n) => form({ image: uploadOfSize('image', n), prompt, size }));
  await plan('createImageEdit', 'mask', (n) =>
    form({ image: opaqueImage(), mask: uploadOfSize('mask', n), prompt, size }),
  );
  const varied = (bytes: number) => form({ image: uploadOfSize('image', bytes), size });
  await plan('createImageVariation', 'image', varied);
  const between = { pointer: 'file.image', keyword: 'megabyte', keeping: [], breaking: [] };
  await sendRuleProbes(context, {
    ...between,
    operation: 'createImageVariation',
    keeping: [varied(BETWEEN)],
  });
}

function form(fields: Parameters<typeof formParts>[0]): CallInput {
  return { form: formParts(fields) };
}

function uploadOfSize(field: string, bytes: number) {
  return pngFile(`${field}.png`, { width: 64, height: 64, transparent: true, bytes });
}
