import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { traceHeader } from '../exchange/testing/trace-header.ts';
import { createAjv } from '../schemas/index.ts';
import { makeReport } from './make-report.ts';
import { reportJson } from './report.ts';
import { sampleReport } from './testing/sample.ts';

const schema = JSON.parse(readFileSync(new URL('report.schema.json', import.meta.url), 'utf8'));
const validate = createAjv().compile(schema);

test.for(['broken', 'green', 'nothing'] as const)(
  'report.json of the %s sample matches its schema',
  (name) => {
    const written = JSON.parse(reportJson(sampleReport(name).report));
    validate(written);
    expect(validate.errors ?? []).toEqual([]);
  },
);

test('a hint on the one given model matches the schema', () => {
  const { report } = sampleReport('green');
  const hints = [
    { kind: 'models-found', models: [], without: [{ role: 'chat', refused: ['a'] }], total: 1, given: 'a' },
  ];
  validate(JSON.parse(JSON.stringify({ ...report, hints })));
  expect(validate.errors ?? []).toEqual([]);
});

test('a report has the fields that the schema names, in its order', () => {
  const { report } = sampleReport('broken');
  const { properties, $defs } = schema;
  // These are present only if a client was judged, or with extensions.
  const conditionalFields = ['side', 'usage', 'disturbances', 'extensions'];
  expect(Object.keys(report)).toEqual(
    Object.keys(properties).filter((name) => !conditionalFields.includes(name)),
  );
  // Only some requirements have these members.
  const optionalMembers = ['faults', 'byChance', 'provoked', 'shownBy'];
  const requiredMembers = Object.keys($defs.requirement.properties).filter(
    (name) => !optionalMembers.includes(name),
  );
  expect(Object.keys(report.requirements[0] ?? {})).toEqual(requiredMembers);
  expect(Object.keys(report.summary)).toEqual(Object.keys(properties.summary.properties));
  expect(Object.keys(report.operations[0] ?? {})).toEqual(
    Object.keys(properties.operations.items.properties),
  );
});

test('an operation with two variants counts once', () => {
  const { report } = sampleReport('green');
  const row = { id: 'createAssistant', method: 'POST', path: '/v1/assistants', notImplemented: false };
  const rows = [
    { ...row, family: 'assistants-v1', claimed: false, exercised: 3 },
    { ...row, family: 'assistants-v2', claimed: true, exercised: 1 },
  ];
  const judgement = { ...report, operations: rows };
  const { summary } = makeReport({
    header: traceHeader(),
    judgement: { ...judgement, errata: [] },
    gate: { verdict: 'conforms', exitCode: 0, reasons: [] },
    exclusions: [],
    seconds: null,
    cassette: null,
  });
  expect(summary.operations).toEqual({ total: 1, claimed: 1, exercised: 1 });
});

test('a report names the version that judged the traffic, not the one that recorded it', () => {
  const { report } = sampleReport('green');
  const { tool } = makeReport({
    header: traceHeader({ tool: { name: 'assay', version: '0.0.1' } }),
    judgement: { ...report, errata: [] },
    gate: { verdict: 'conforms', exitCode: 0, reasons: [] },
    exclusions: [],
    seconds: null,
    cassette: null,
  });
  expect(tool).toEqual({ name: 'assay', version: JSON.parse(readFileSync('package.json', 'utf8')).version });
});

test('report.json escapes terminal control characters and keeps the values', () => {
  const { report } = sampleReport('green');
  const words = 'a\u009b31mb\u202ec\u2066d\u007fe\u2028f\u0085g';
  const written = reportJson({ ...report, hints: [], target: { ...report.target, baseUrl: words } });
  expect(written).not.toMatch(/[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/);
  expect(JSON.parse(written).target.baseUrl).toBe(words);
});
