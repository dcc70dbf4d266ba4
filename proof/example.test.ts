import { expect, test } from 'vitest';
import { behaviourRequirements } from '../judge/evidence/behaviour-requirements.ts';
import type { BehaviourRequirement, Evidence } from '../judge/requirements/requirement.ts';
import { catalogueOf } from '../judge/testing/catalogue-of-sets.ts';
import { createCleanTrace, fileObject, NAME_REQUIREMENT } from '../judge/testing/clean-trace.ts';
import { findExample } from './example.ts';

test.for([
  ['file:bytes#type', 'null instead at place 1', fileObject.id],
  ['retrieveFile:path.file_id#unknown.accepted', 'refused, probe 1', fileObject.id],
  ['retrieveFile:path.file_id#unknown.rejected', 'accepted, probe 1', 'file-none'],
  ['retrieveFile:answer#json', 'nothing', fileObject.id],
  [NAME_REQUIREMENT.id, 'empty', fileObject.id],
] as const)(
  'the example of %s has a passing exchange, and a failing one from a mutant',
  ([id, broken, file]) => {
    const example = findExample(catalogueOf(NAME_REQUIREMENT), createCleanTrace(), id);
    expect(example?.passing.request.target).toBe(`/v1/files/${file}`);
    expect(example?.failing?.mutant).toBe(broken);
    expect(example?.failing?.verdict.findings).not.toEqual([]);
  },
);

test('a requirement with evidence from requests without an operation has an example', () => {
  const [file] = createCleanTrace().items;
  if (file === undefined) throw new Error('the trace is empty');
  const download = {
    ...file,
    id: 'd1',
    ended: 9,
    probe: null,
    request: { ...file.request, target: '/elsewhere.png' },
  };
  const gone = { ...download, response: download.response && { ...download.response, status: 404 } };
  const requirement: BehaviourRequirement<Evidence> = {
    ...NAME_REQUIREMENT,
    id: 'files.test.elsewhere',
    selector: {
      operations: ['retrieveFile'],
      variant: null,
      downloads: true,
      collect: () => ({
        call: () => [],
        download: (exchange) => [{ exchanges: [exchange] }],
        finish: () => [],
      }),
    },
    check: ({ exchanges: [one] }) =>
      one?.response?.status === 404 ? [{ at: 'status', expected: '2xx', actual: 404 }] : [],
    mutations: { gone: (trace) => trace.map((one) => (one.id === 'd1' ? gone : one)) },
  };
  const trace = { ...createCleanTrace(), items: [...createCleanTrace().items, download] };
  const catalogue = { ...catalogueOf(), requirementSets: [behaviourRequirements([requirement])] };
  const example = findExample(catalogue, trace, requirement.id);
  expect(example?.passing.id).toBe('d1');
  expect(example?.failing?.mutant).toBe('gone');
});

test('a requirement without evidence in the trace has no example', () => {
  expect(findExample(catalogueOf(NAME_REQUIREMENT), createCleanTrace(), 'model:id#type')).toBeNull();
});
