import { behaviourSection } from '../behaviours.ts';
import type { Catalogue } from '../catalogue.ts';
import { inAnswer } from '../edit/breaks.ts';
import { put } from '../edit/values.ts';
import { get } from '../json.ts';
import { probeSection } from '../probe/section.ts';
import type { Behaviour, Evidence } from '../requirement.ts';
import { schemaSection } from '../schema/section.ts';
import { type AnswerEvidence, answers } from '../selectors/answers.ts';
import { headerOf, TraceBuilder } from './trace.ts';

export const FILE = {
  id: 'file-12345678',
  object: 'file',
  bytes: 5,
  created_at: 1,
  filename: 'a.txt',
  purpose: 'batch',
};

/** A hand-written requirement. */
export const NAMED: Behaviour<AnswerEvidence> = {
  id: 'files.test.named',
  level: 'MUST',
  basis: 'implied',
  spec: '2 File',
  says: 'A file has a name.',
  on: answers('retrieveFile'),
  check: ({ answer }) =>
    get(answer, 'filename') === '' ? [{ at: '/filename', expected: 'a name', actual: '' }] : [],
  breaks: { empty: inAnswer('retrieveFile', put('/filename', '')) },
};

/** All requirements that follow from the schemas, and these. */
export function catalogueOf(...behaviours: Behaviour<Evidence>[]): Catalogue {
  return {
    sections: [schemaSection(), probeSection(), behaviourSection(behaviours)],
    choices: [],
    exclusions: [],
    infeasible: [],
    benign: [],
    scenarios: [],
  };
}

/** A trace without findings: a file is found, and an unknown one is not. */
export function green() {
  const trace = new TraceBuilder();
  const path = { file_id: FILE.id };
  const probe = { operation: 'retrieveFile', pointer: 'path.file_id', keyword: 'unknown' } as const;
  trace.add(
    'retrieveFile',
    { path, probe: { ...probe, id: 'p1', side: 'valid', control: null } },
    { json: FILE },
  );
  trace.add(
    'retrieveFile',
    { path: { file_id: 'file-none' }, probe: { ...probe, id: 'p2', side: 'violation', control: 'p1' } },
    { status: 404, json: { error: 'none' } },
  );
  return { header: headerOf(), items: trace.exchanges };
}
