import { inResponse } from '../../proof/mutations/mutations.ts';
import { setValue } from '../../proof/mutations/values.ts';
import { type ResponseEvidence, responses } from '../evidence/calls.ts';
import type { BehaviourRequirement } from '../requirements/requirement.ts';
import { valueAtPath } from '../trace/json.ts';
import { TraceBuilder, testTraceHeader } from './trace-builder.ts';

export const fileObject = {
  id: 'file-12345678',
  object: 'file',
  bytes: 5,
  created_at: 1,
  filename: 'a.txt',
  purpose: 'batch',
};

export const NAME_REQUIREMENT: BehaviourRequirement<ResponseEvidence> = {
  id: 'files.test.named',
  level: 'MUST',
  basis: 'implied',
  spec: '2 File',
  says: 'A file has a name.',
  selector: responses('retrieveFile'),
  check: ({ answer }) =>
    valueAtPath(answer, 'filename') === '' ? [{ at: '/filename', expected: 'a name', actual: '' }] : [],
  mutations: { empty: inResponse('retrieveFile', setValue('/filename', '')) },
};

export function createCleanTrace() {
  const trace = new TraceBuilder();
  const path = { file_id: fileObject.id };
  const probe = { operation: 'retrieveFile', pointer: 'path.file_id', keyword: 'unknown' } as const;
  trace.add(
    'retrieveFile',
    { path, probe: { ...probe, id: 'p1', side: 'valid', control: null } },
    { json: fileObject },
  );
  trace.add(
    'retrieveFile',
    { path: { file_id: 'file-none' }, probe: { ...probe, id: 'p2', side: 'violation', control: 'p1' } },
    { status: 404, json: { error: 'none' } },
  );
  return { header: testTraceHeader(), items: trace.exchanges };
}
