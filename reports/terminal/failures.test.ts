import { expect, test } from 'vitest';
import type { Report } from '../report.ts';
import { sampleReport } from '../testing/sample.ts';
import { coloursFor } from '../words/colours.ts';
import { failingPart, knownPart } from './failures.ts';

const { report, evidence } = sampleReport('broken');
const options = { ...evidence, columns: null, paint: coloursFor('off'), written: [], reportDir: 'out/first' };
const [first] = report.requirements;

function rejection(place: string, baseline: string | null = null) {
  return { ...first, id: `createFile:${place}.rejected`, kind: 'rejected', verdict: 'fail', baseline };
}

test('a known cause of refusals is marked as known, with the reason', () => {
  const diagnoses = report.diagnoses?.map((diagnosis) => ({
    ...diagnosis,
    operations: diagnosis.operations.map((operation) => ({ ...operation, baseline: 'fixed in 2.0' })),
  }));
  const known = { ...report, diagnoses } as Report; // as: only the baseline is added
  const lines = knownPart(known, options);
  expect(lines[0]).toBe('KNOWN  createChatCompletion:accepts#body.n>1');
  expect(lines).toContain('      known because: fixed in 2.0');
});

test('a known failure is shown although an option tolerates others of its kind', () => {
  const causes = [{ kind: 'lenient-validation', tolerated: true }];
  const summary = { ...report.summary, causes };
  const requirements = [rejection('body.file#type', 'fixed in 2.0')];
  const known = { ...report, diagnoses: [], summary, requirements } as unknown as Report; // as: parts of a report
  expect(knownPart(known, options)[0]).toMatch(/^KNOWN {2}createFile:body\.file#type\.rejected/);
});

test('the commands that explain failures name the folder of the report', () => {
  const requirements = [rejection('body.file#type'), rejection('body.purpose#type'), first];
  const failing = { ...report, diagnoses: [], choices: [], requirements } as unknown as Report; // as: parts of a report
  const text = failingPart(failing, options).join('\n');
  expect(text).toContain(
    "each   npx assay explain 'createFile:body.purpose#type.rejected' --report out/first\n",
  );
});
