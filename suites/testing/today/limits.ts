// Cases of the errata for limits of requests that the service has widened.
import { PNG } from 'pngjs';
import type { Sketch } from '../service-traffic.ts';
import type { ErratumCase } from './case.ts';
import { drawing, job } from './objects.ts';

interface PictureOptions {
  readonly name?: string;
  readonly path?: string;
  readonly prompt?: string;
  readonly more?: NonNullable<Sketch['form']>;
}

const MEGABYTE = 1024 * 1024;
const WEBP = 'RIFF....WEBP';
const letters = (length: number): string => 'a'.repeat(length);
const train = (suffix: string): readonly Sketch[] => [
  {
    call: 'POST /v1/fine_tuning/jobs',
    sent: { model: 'gpt-4o-mini-2024-07-18', training_file: 'file-a', suffix },
    answer: job(),
  },
];
const draw = (model: string, prompt: string): readonly Sketch[] => [
  {
    call: 'POST /v1/images/generations',
    sent: { model, prompt, response_format: 'b64_json' },
    answer: drawing(1024, 1024),
  },
];
const TRANSPARENT = PNG.sync.write(new PNG({ width: 10, height: 10 }));
const WIDE = PNG.sync.write(new PNG({ width: 20, height: 10 }));
const OPAQUE = PNG.sync.write(new PNG({ width: 10, height: 10 }), { colorType: 2 });
const submit = (
  model: string,
  content: string | Uint8Array,
  { name = 'a.png', path = 'edits', prompt = 'a', more = [] }: PictureOptions = {},
): readonly Sketch[] => [
  {
    call: `POST /v1/images/${path}`,
    form: [['model', model], ['prompt', prompt], ['image', content, name], ...more],
    answer: drawing(1024, 1024),
  },
];
const edit = (model: string, prompt: string): readonly Sketch[] =>
  submit(model, TRANSPARENT, { prompt, more: [['response_format', 'b64_json']] });

const upload = (url: string): readonly Sketch[] => [
  {
    call: 'POST /v1/files',
    form: [
      ['purpose', 'batch'],
      ['file', JSON.stringify({ custom_id: 'a', method: 'POST', url, body: {} }), 'a.jsonl'],
    ],
    answer: { id: 'file-a', object: 'file' },
  },
];
const drawByDefaultModel = (prompt: string): readonly Sketch[] => [
  { call: 'POST /v1/images/generations', sent: { prompt }, answer: drawing(1024, 1024) },
];

export const WIDER_LIMITS: readonly ErratumCase[] = [
  {
    erratum: 'long-suffixes',
    excused: train(letters(64)),
    beyond: [{ traffic: train(letters(65)), breaks: 'createFineTuningJob:body.suffix#maxLength.rejected' }],
  },
  {
    erratum: 'long-prompts',
    excused: [...draw('gpt-image-1', letters(6000)), ...edit('gpt-image-1', letters(1600))],
    beyond: [
      { traffic: draw('dall-e-3', letters(6000)), breaks: 'createImage:body.prompt#maxLength.rejected' },
      { traffic: draw('gpt-image-1', letters(32_001)), breaks: 'createImage:body.prompt#maxLength.rejected' },
      { traffic: edit('dall-e-2', letters(1600)), breaks: 'createImageEdit:body.prompt#maxLength.rejected' },
      {
        traffic: edit('gpt-image-1', letters(32_001)),
        breaks: 'createImageEdit:body.prompt#maxLength.rejected',
      },
    ],
  },
  {
    erratum: 'long-suffixes',
    side: 'client',
    excused: train(letters(64)),
    beyond: [{ traffic: train(letters(65)), breaks: 'client:createFineTuningJob:body.suffix#maxLength' }],
  },
  {
    erratum: 'long-prompts',
    side: 'client',
    excused: [...draw('gpt-image-1', letters(6000)), ...edit('gpt-image-1', letters(1600))],
    beyond: [
      { traffic: draw('dall-e-3', letters(6000)), breaks: 'client:createImage:body.prompt#maxLength' },
    ],
  },
  {
    erratum: 'pictures-of-today',
    side: 'client',
    excused: [
      ...submit('gpt-image-1', WEBP, { name: 'a.webp' }),
      ...submit('gpt-image-1', letters(5 * MEGABYTE), { name: 'a.jpeg' }),
      ...submit('gpt-image-1', WIDE),
      ...submit('gpt-image-1', OPAQUE),
    ],
    beyond: [
      { traffic: submit('dall-e-2', WEBP, { name: 'a.webp' }), breaks: 'client.images.png' },
      { traffic: submit('gpt-image-1', 'Hello', { name: 'a.txt' }), breaks: 'client.images.png' },
      {
        traffic: submit('gpt-image-1', TRANSPARENT, { more: [['mask', WEBP, 'a.webp']] }),
        breaks: 'client.images.png',
      },
      { traffic: submit('dall-e-2', letters(5 * MEGABYTE)), breaks: 'client.images.small' },
      { traffic: submit('gpt-image-1', letters(50 * MEGABYTE)), breaks: 'client.images.small' },
      { traffic: submit('dall-e-2', WIDE), breaks: 'client.images.square' },
      { traffic: submit('dall-e-2', OPAQUE), breaks: 'client.images.transparent' },
      // Only edits accept the newer models.
      ...(
        [
          [letters(5 * MEGABYTE), 'client.images.small'],
          [WEBP, 'client.images.png'],
          [WIDE, 'client.images.square'],
        ] as const
      ).map(([content, breaks]) => ({
        traffic: submit('gpt-image-1', content, { name: 'a.webp', path: 'variations' }),
        breaks,
      })),
    ],
  },
  {
    erratum: 'default-image-model',
    side: 'client',
    excused: drawByDefaultModel(letters(1001)),
    beyond: [{ traffic: drawByDefaultModel(letters(32_001)), breaks: 'client.images.default-model' }],
  },
  {
    erratum: 'further-batch-endpoints',
    side: 'client',
    excused: upload('/v1/responses'),
    beyond: [
      { traffic: upload('/v1/models'), breaks: 'client.batches.line-url' },
      { traffic: upload('https://service.example/v1/responses'), breaks: 'client.batches.line-url' },
    ],
  },
];
