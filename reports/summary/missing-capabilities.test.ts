import { expect, test } from 'vitest';
import type { Report } from '../report.ts';
import { sampleReport } from '../testing/sample.ts';
import { missingCapabilityLines } from './missing-capabilities.ts';

test.for([
  [500, 'is answered 500'],
  ['no answer', 'is not answered'],
  ['200, then event \u009b2J', String.raw`is answered 200, then event \u009b2J`],
] as const)('a stream that is refused with %j %s', ([actual, words]) => {
  const { report } = sampleReport('green');
  const [one] = report.requirements;
  const unseen = ['stream#contentType', 'stream#json'].map((place) => ({ verdict: 'untested', id: place }));
  const refused = { verdict: 'fail', id: 'body.stream#type.accepted', findings: [{ actual }] };
  const requirements = [...unseen, refused].map(({ id, ...more }) => {
    return { ...one, observations: 0, ...more, id: `createChatCompletion:${id}` };
  });
  expect(missingCapabilityLines({ ...report, requirements } as unknown as Report)).toEqual([
    `streaming does not work at all in createChatCompletion: "stream": true ${words}`,
  ]); // as: parts of a report
});
