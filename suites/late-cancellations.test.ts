import { expect, test } from 'vitest';
import { judgeRequirement } from '../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../judge/testing/trace-builder.ts';
import { authentication } from './authentication.requirements.ts';

const CANCEL = 'cancelFineTuningJob';
const path = { fine_tuning_job_id: 'job-1' };

function judgeTrial(withoutKey: number, withKey: number, operation = CANCEL) {
  const rule = authentication.find(({ id, says }) => id.endsWith('.without-key') && says.includes(operation));
  if (rule === undefined) throw new Error(`No requirement concerns the key of ${operation}.`);
  const trace = new TraceBuilder();
  const input = operation === CANCEL ? { path } : { path: { file_id: 'file-1' } };
  trace.add(operation, input, { status: withoutKey });
  trace.add(operation, input, { status: withKey });
  const label = {
    id: 'trial',
    operation,
    pointer: 'header.authorization',
    keyword: 'absent',
    side: 'violation',
    control: null,
  } as const;
  const exchanges = trace.exchanges.map((one, i) => (i === 0 ? { ...one, probe: label } : one));
  return judgeRequirement(rule, exchanges);
}

test.each([401, 403])(
  'a %i without a key counts as a rejection if the cancellation with the key comes too late',
  (status) => {
    expect(judgeTrial(status, 409)).toEqual({ observations: 1, violations: [] });
  },
);

test.each([
  ['both requests get the same refusal', 409, 409],
  ['the right key is denied as well', 401, 401],
  ['the object is not found', 401, 404],
])('nothing is proved if %s', (_, withoutKey, withKey) => {
  expect(judgeTrial(withoutKey, withKey)).toEqual({ observations: 0, violations: [] });
});

test('a 401 without a key proves nothing if the right key gets 409 for an operation other than a cancellation', () => {
  expect(judgeTrial(401, 409, 'retrieveFile')).toEqual({ observations: 0, violations: [] });
});

test.each([200, 409])(
  'an operation that is carried out without a key is a violation if the right key gets %i',
  (status) => {
    expect(judgeTrial(200, status).violations).toHaveLength(1);
  },
);
