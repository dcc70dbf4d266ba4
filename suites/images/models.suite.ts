import {
  type CallInput,
  type ModelRole,
  type Scenario,
  type ScenarioContext,
  scenario,
} from '../../drive/scenario/scenario.ts';
import { formParts } from '../generate/requests.ts';
import { type RulePlan, sendRuleProbes } from '../generate/rule-probes.ts';
import { pngFile } from '../generate/sample-files.ts';
import type { Json } from '../vocabulary/types.ts';
import { opaqueImage, prompt, smallestRequest, transparentImage } from './samples.ts';

/** Sizes in bytes: below the limit and above it under both definitions of a megabyte, and between the two. */
const UNDER = 3_999_999;
const BEYOND = 4 * 1024 * 1024;
const BETWEEN = 4_100_000;

type Draft = Omit<RulePlan, 'operation'> & { readonly operation?: string };

/** Options that only one of the two models accepts. */
export const modelLimits: readonly Scenario[] = [
  trial('earlier-model-sizes', ['image-v2'], (context) => ({
    pointer: 'body.size',
    keeping: ['256x256', '512x512', '1024x1024'].map((size) => drawing(context, 'image-v2', { size })),
    breaking: ['1792x1024', '1024x1792'].map((size) => drawing(context, 'image-v2', { size })),
  })),
  trial('later-model-sizes', ['image-v3'], (context) => ({
    pointer: 'body.size',
    keeping: ['1024x1024', '1792x1024', '1024x1792'].map((size) => drawing(context, 'image-v3', { size })),
    breaking: ['256x256', '512x512'].map((size) => drawing(context, 'image-v3', { size })),
  })),
  trial('later-model-count', ['image-v3'], (context) => ({
    pointer: 'body.n',
    keeping: [drawing(context, 'image-v3', { size: '1024x1024', n: 1 })],
    breaking: [2, 10].map((n) => drawing(context, 'image-v3', { size: '1024x1024', n })),
  })),
  trial('earlier-model-prompt', ['image-v2'], (context) => ({
    pointer: 'body.prompt',
    keeping: [drawing(context, 'image-v2', { prompt: 'a'.repeat(1000) })],
    breaking: [drawing(context, 'image-v2', { prompt: 'a'.repeat(1001) })],
  })),
  trial('earlier-model-quality', ['image-v2'], (context) => ({
    pointer: 'body.quality',
    keeping: [drawing(context, 'image-v2', {})],
    breaking: [drawing(context, 'image-v2', { quality: 'hd' })],
  })),
  trial('earlier-model-style', ['image-v2'], (context) => ({
    pointer: 'body.style',
    keeping: [drawing(context, 'image-v2', {})],
    breaking: [drawing(context, 'image-v2', { style: 'natural' })],
  })),
  trial('options-at-default', ['image-v2'], (context) => ({
    pointer: 'body',
    keeping: [drawing(context, 'image-v2', {})],
    breaking: [{ quality: 'standard' }, { style: 'vivid' }].map((one) => drawing(context, 'image-v2', one)),
  })),
  trial('edits-earlier-model', ['image-v2', 'image-v3'], (context) => ({
    operation: 'createImageEdit',
    pointer: 'body.model',
    base: form({ image: transparentImage(), prompt, size: '256x256' }),
    keeping: [form({ image: transparentImage(), prompt, model: context.model('image-v2'), size: '256x256' })],
    breaking: [
      form({ image: transparentImage(), prompt, model: context.model('image-v3'), size: '1024x1024' }),
    ],
  })),
  trial('variations-earlier-model', ['image-v2', 'image-v3'], (context) => ({
    operation: 'createImageVariation',
    pointer: 'body.model',
    base: form({ image: opaqueImage(), size: '256x256' }),
    keeping: [form({ image: opaqueImage(), model: context.model('image-v2'), size: '256x256' })],
    breaking: [form({ image: opaqueImage(), model: context.model('image-v3'), size: '1024x1024' })],
  })),
];

/** Only the earlier model supports small images, so such a request without a model shows the default model. */
export const imagesDefaultModelScenario = scenario({
  name: 'images.default-model',
  operations: ['createImage'],
  roles: ['image-v2'],
  run: async (context) => {
    const label = { pointer: 'body.model', keyword: 'default-model', side: 'valid' } as const;
    const control = 'createImage:body.model#default-model.valid1';
    const input = drawing(context, 'image-v2', {});
    await context.call('createImage', { ...input, probe: { ...label, id: control, control: null } });
    await context.call('createImage', {
      body: { prompt, size: '256x256' },
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

function trial(
  keyword: string,
  roles: readonly ModelRole[],
  plan: (context: ScenarioContext) => Omit<Draft, 'keyword'>,
): Scenario {
  return scenario({
    name: `images.${keyword}`,
    operations: ['createImage'],
    roles,
    run: (context) => sendRuleProbes(context, { operation: 'createImage', keyword, ...plan(context) }),
  });
}

function drawing(
  context: ScenarioContext,
  role: ModelRole,
  fields: Readonly<Record<string, Json>>,
): CallInput {
  return { body: smallestRequest(context, role, fields) };
}

function form(fields: Parameters<typeof formParts>[0]): CallInput {
  return { form: formParts(fields) };
}

function uploadOfSize(field: string, bytes: number) {
  return pngFile(`${field}.png`, { width: 64, height: 64, transparent: true, bytes });
}
