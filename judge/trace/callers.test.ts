// A list and a later call without keys count as one organization's only if both were accepted and share an object.
import { expect, test } from 'vitest';
import { TraceBuilder } from '../testing/trace-builder.ts';
import { Call } from './call.ts';
import { Callers } from './callers.ts';

const headers = [['host', 'api.example.com']] as const;

/** Whether a list of one organization and a retrieval of its file with this status may come from several callers. */
function mayDiffer(status: number): boolean {
  const trace = new TraceBuilder();
  const callers = new Callers();
  trace.add('listFiles', { headers }, { json: { object: 'list', data: [{ id: 'file-1' }] } });
  trace.add(
    'retrieveFile',
    { headers, path: { file_id: 'file-1' } },
    { status, json: status === 200 ? { id: 'file-1' } : { error: { message: 'no' } } },
  );
  for (const exchange of trace.exchanges) {
    const call = Call.from(exchange, 'Vendor-Beta');
    if (call === null) throw new Error(`${exchange.id} calls no operation`);
    callers.note(call);
  }
  return callers.mayDifferIn(trace.exchanges);
}

test('an accepted call for a listed object belongs to the organization that listed it', () => {
  expect(mayDiffer(200)).toBe(false);
});

test.each([400, 401, 403, 404, 409, 429, 500])(
  'a call that gets %i may belong to another organization',
  (status) => {
    expect(mayDiffer(status)).toBe(true);
  },
);
