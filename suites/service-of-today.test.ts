// Exchanges of the deployed service as it is today, under its dialect: none has a finding, and one real violation beside
// each is found.
import { expect, test } from 'vitest';
import { brokenIds, includedDialect, judged, type Sketch } from './testing/service-traffic.ts';
import { CHAT_CASES } from './testing/today/chat.ts';
import { MEDIA_CASES } from './testing/today/media.ts';
import { STORED_CASES } from './testing/today/stored.ts';

const openai = includedDialect('openai');
const CASES = [...CHAT_CASES, ...MEDIA_CASES, ...STORED_CASES];
const broken = async (traffic: readonly Sketch[]) => brokenIds(await judged(traffic, openai));

test.each(CASES)('$name: no finding', async ({ traffic }) => {
  expect(await broken(traffic)).toEqual([]);
});

test.each(CASES)('$name: $breaks is found', async ({ traffic, wrong, follows, breaks }) => {
  const before = follows === true ? traffic : traffic.slice(0, -1);
  expect(await broken([...before, wrong])).toContain(breaks);
});

test('values beyond the specification are choices under the dialect, and failures without it', async () => {
  const traffic = CASES.flatMap((one) => one.traffic);
  const { choices } = await judged(traffic, openai);
  const taken = (operation: string) => choices.find(({ id }) => id === `${operation}.open.vocabulary`)?.taken;
  expect(taken('createTranscription')).toContain('accepts `response_format: diarized_json`');
  expect(taken('createImage')).toEqual(
    expect.arrayContaining(['accepts `quality: high`', 'accepts `size: 1024x1536`']),
  );
  expect(taken('createChatCompletion')).toEqual(
    expect.arrayContaining(['accepts `tools[].type: custom`', 'accepts `reasoning_effort`']),
  );
  expect(taken('createBatch')).toEqual(['accepts `endpoint: /v1/responses`']);
  const strict = await judged(traffic, null);
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
