// Handmade traffic of the deployed service as it is today, judged with its dialect: no findings, and a real violation
// in the same traffic is reported.
import { expect, test } from 'vitest';
import { isClientRequirement } from '../judge/requirements/selection.ts';
import type { JsonObject } from '../schemas/json.ts';
import {
  brokenIds,
  judgeServiceTraffic,
  readShippedDialect,
  type Sketch,
} from './testing/service-traffic.ts';
import { CHAT_CASES } from './testing/today/chat.ts';
import { MEDIA_CASES } from './testing/today/media.ts';
import { completion, drawing } from './testing/today/objects.ts';
import { STORED_CASES } from './testing/today/stored.ts';

const openai = readShippedDialect('openai');
const CASES = [...CHAT_CASES, ...MEDIA_CASES, ...STORED_CASES];
const listBroken = async (traffic: readonly Sketch[]) =>
  brokenIds(await judgeServiceTraffic(traffic, openai));

function wrongTraffic({ traffic, wrong, follows }: (typeof CASES)[number]): readonly Sketch[] {
  return [...(follows === true ? traffic : traffic.slice(0, -1)), wrong];
}

test.each(CASES)('traffic of today has no finding: $name', async ({ traffic }) => {
  expect(await listBroken(traffic)).toEqual([]);
});

test.each(CASES)('a wrong exchange in traffic of today breaks $breaks: $name', async (one) => {
  const judgement = await judgeServiceTraffic(wrongTraffic(one), openai, 'server', [one.breaks]);
  expect(brokenIds(judgement)).toEqual([one.breaks]);
});

// One of each kind: judging all by the whole catalogue takes minutes.
test.each([CHAT_CASES, MEDIA_CASES, STORED_CASES].flatMap((cases) => cases.slice(0, 1)))(
  'a wrong exchange breaks $breaks in the whole catalogue as well: $name',
  async (one) => {
    expect(await listBroken(wrongTraffic(one))).toContain(one.breaks);
  },
);

test('values beyond the specification are choices under the dialect, and failures without it', async () => {
  const traffic = CASES.flatMap((one) => one.traffic);
  const { choices } = await judgeServiceTraffic(traffic, openai);
  const alternativesOf = (operation: string) =>
    choices.find(({ id }) => id === `${operation}.open.vocabulary`)?.taken;
  expect(alternativesOf('createTranscription')).toContain('accepts `response_format: diarized_json`');
  expect(alternativesOf('createImage')).toEqual(
    expect.arrayContaining(['accepts `quality: high`', 'accepts `size: 1024x1536`']),
  );
  expect(alternativesOf('createChatCompletion')).toEqual(
    expect.arrayContaining(['accepts `tools[].type: custom`', 'accepts `reasoning_effort`']),
  );
  expect(alternativesOf('createBatch')).toEqual(['accepts `endpoint: /v1/responses`']);
  const strict = await judgeServiceTraffic(traffic, null);
  expect(strict.choices.some(({ id }) => id.endsWith('.open.vocabulary'))).toBe(false);
  expect(brokenIds(strict)).toEqual(
    expect.arrayContaining([
      'createTranscription:body.response_format#enum.rejected',
      'createImage:body.size#enum.rejected',
      'createChatCompletion:body.tools[].type#const.rejected',
      'createImageEdit:file.image#required.rejected',
    ]),
  );
});

test.each(CASES)('the client of traffic of today has no finding: $name', async ({ traffic }) => {
  expect(brokenIds(await judgeServiceTraffic(traffic, openai, 'client'))).toEqual([]);
});

test('requests beyond the specification are choices under the dialect, and failures without it', async () => {
  const traffic = CASES.flatMap((one) => one.traffic);
  const { choices } = await judgeServiceTraffic(traffic, openai, 'client');
  const alternativesOf = (operation: string) =>
    choices.find(({ id }) => id === `client.${operation}.open.vocabulary`)?.taken;
  expect(alternativesOf('createTranscription')).toContain('sends `response_format: diarized_json`');
  expect(alternativesOf('createChatCompletion')).toContain('sends `tools[].type: custom`');
  expect(alternativesOf('createBatch')).toEqual(['sends `endpoint: /v1/responses`']);
  expect(
    choices.filter(({ id }) => id.endsWith('.open.vocabulary')).every(({ id }) => isClientRequirement(id)),
  ).toBe(true);
  const strict = await judgeServiceTraffic(traffic, null, 'client');
  expect(strict.choices.some(({ id }) => id.endsWith('.open.vocabulary'))).toBe(false);
  expect(brokenIds(strict)).toEqual(
    expect.arrayContaining([
      'client:createTranscription:body.response_format#enum',
      'client:createImage:body.size#enum',
      'client:createChatCompletion:body.tools[].type#const',
      'client:createImageEdit:file.image#required',
    ]),
  );
});

const CUSTOM = { type: 'custom', custom: { name: 'code' } };
const chat = (more: JsonObject): Sketch => ({
  call: 'POST /v1/chat/completions',
  sent: { model: 'gpt-4o', messages: [{ role: 'user', content: 'a' }], tools: [CUSTOM], ...more },
  answer: completion(),
});
const edit = (...more: readonly (readonly [string, string])[]): Sketch => ({
  call: 'POST /v1/images/edits',
  form: [['model', 'gpt-image-1'], ['prompt', 'Join them.'], ...more, ['image[]', 'a', 'a.png']],
  answer: drawing(1024, 1024),
});

test.each([
  ['a temperature of 99 next to a custom tool', chat({ temperature: 99 }), 'body.temperature#maximum'],
  ['a string as n next to a custom tool', chat({ n: 'x' }), 'body.n#type'],
  [
    'a custom tool without messages',
    { ...chat({}), sent: { model: 'gpt-4o', tools: [CUSTOM] } },
    'body.messages#required',
  ],
  ['99 edits of several images', edit(['n', '99']), 'body.n#maximum'],
] as const)('%s is a violation under the dialect as well', async (_, sketch, rule) => {
  expect((await listBroken([sketch])).filter((id) => id.endsWith(`:${rule}.rejected`))).toHaveLength(1);
  const clientFindings = brokenIds(await judgeServiceTraffic([sketch], openai, 'client'));
  expect(clientFindings.filter((id) => id.endsWith(`:${rule}`))).toHaveLength(1);
});

test('an edit of several images may be streamed', async () => {
  const event = ['image_edit.completed', { type: 'image_edit.completed', b64_json: 'aa' }] as const;
  const { answer: _, ...request } = edit(['stream', 'true']);
  expect(await listBroken([{ ...request, events: [event] }])).toEqual([]);
});

test('a field that was not sent is not called accepted', async () => {
  const { choices } = await judgeServiceTraffic([chat({}), edit()], openai);
  const taken = choices.filter(({ id }) => id.endsWith('.open.vocabulary')).flatMap((one) => one.taken);
  expect(taken.toSorted()).toEqual([
    'accepts `image[]`',
    'accepts `tools[].custom`',
    'accepts `tools[].type: custom`',
  ]);
});
