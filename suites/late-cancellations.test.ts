import { expect, test } from 'vitest';
import { judgeRequirement } from '../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../judge/testing/trace-builder.ts';
import { authentication } from './authentication.requirements.ts';

const CANCEL = 'cancelFineTuningJob';
const path = { fine_tuning_job_id: 'job-1' };

/** A cancellation without a key, then one with the right key, answered with these statuses. */
function refusal(without: number, withKey: number, operation = CANCEL) {
  const rule = authentication.find(({ id, says }) => id.endsWith('.without-key') && says.includes(operation));
  if (rule === undefined) throw new Error(`no requirement of ${operation}`);
  const trace = new TraceBuilder();
  const input = operation === CANCEL ? { path } : { path: { file_id: 'file-1' } };
  trace.add(operation, input, { status: without });
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
  '%i without a key proves something if a request with the key would come too late',
  (status) => {
    expect(refusal(status, 409)).toEqual({ observations: 1, violations: [] });
  },
);

test.each([
  ['both requests get the same refusal', 409, 409],
  ['no key is accepted', 401, 401],
  ['the object is not found', 401, 404],
])('nothing is proved if %s', (_, without, withKey) => {
  expect(refusal(without, withKey)).toEqual({ observations: 0, violations: [] });
});

test('another operation does not come too late', () => {
  expect(refusal(401, 400, 'retrieveFile')).toEqual({ observations: 0, violations: [] });
});

test('operations carried out without a key are found, whatever requests with a key get', () => {
  expect(refusal(200, 409).violations).toHaveLength(1);
});
