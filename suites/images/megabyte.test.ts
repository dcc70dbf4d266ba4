import { expect, test } from 'vitest';
import { judgeTrace } from '../../explain/judge.ts';
import { type ResponseSketch, TraceBuilder, testTraceHeader } from '../../judge/testing/trace-builder.ts';
import { catalogue } from '../index.ts';

const all = await catalogue();
const VARIATION = 'createImageVariation';
const PICTURE = { json: { created: 1, data: [{ url: 'https://service.example/a.png' }] } };
const CLOSED: ResponseSketch = { status: 0, how: 'upstream-reset' };

function judgeResponses(...responses: readonly ResponseSketch[]) {
  const trace = new TraceBuilder();
  const picture = (size: number) => ({
    form: [{ name: 'image', value: 'a'.repeat(size), filename: 'a.png' }],
  });
  trace.add(VARIATION, picture(8), PICTURE);
  const label = { operation: VARIATION, pointer: 'file.image', keyword: 'megabyte', control: null } as const;
  const probe = { ...label, id: `${VARIATION}:file.image#megabyte.valid1`, side: 'valid' } as const;
  for (const response of responses) trace.add(VARIATION, { ...picture(4_100_000), probe }, response);
  const header = testTraceHeader({ claims: { families: ['images'], how: 'given' } });
  const exchanges = trace.exchanges.map((one) => ({ ...one, scenario: 'images.large' }));
  const { requirements, choices } = judgeTrace(all, header, exchanges);
  return [
    requirements.find(({ id }) => id === `${VARIATION}:accepts`)?.verdict,
    choices.find(({ id }) => id === 'images.upload.megabyte')?.taken,
  ];
}

test('a picture between the limits in decimal and binary megabytes may be accepted, or refused, also by closing the connection each time', () => {
  expect(judgeResponses(PICTURE)).toEqual(['pass', ['accepted']]);
  expect(judgeResponses({ status: 413, json: {} })).toEqual(['pass', ['refused']]);
  expect(judgeResponses(CLOSED, CLOSED)).toEqual(['pass', ['refused']]);
  // A connection that closes once may be chance.
  expect(judgeResponses(CLOSED)).toEqual(['pass', []]);
});
