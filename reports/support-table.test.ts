import { expect, test } from 'vitest';
import { supportTable } from './support-table.ts';
import { sampleReport } from './testing/sample.ts';

function createRequirement(id: string, kind: string, verdict: 'pass' | 'inconclusive' = 'pass') {
  const [one] = sampleReport('green').report.requirements;
  const operations = ['createChatCompletion'];
  return { ...one, id, kind, family: 'chat', verdict, cause: null, operations };
}

function requestFieldRow(
  field: string,
  {
    requirements = [],
    choices = [],
  }: { readonly requirements?: readonly object[]; readonly choices?: readonly object[] },
) {
  const { report } = sampleReport('green');
  const operations = ['createChatCompletion', 'createFile'].map((id) => ({
    ...report.operations[0],
    id,
    exercised: 1,
  }));
  const table = supportTable({ ...report, operations, requirements, choices, diagnoses: [] } as never); // as: the table reads no more
  return table.find((row) => /^create(?:File|ChatCompletion)$/.test(row.operation) && row.field === field);
}

function supportOfN(...requirements: readonly object[]) {
  return requestFieldRow('n', { requirements })?.support;
}

test('an undecided effect is not shown unless the field is accepted: all requests with it may be refused for another field', () => {
  const undecided = createRequirement('chat.reply.choices-as-asked', 'behaviour', 'inconclusive');
  expect(supportOfN(undecided)).toBe('not shown');
  expect(supportOfN(undecided, createRequirement('createChatCompletion:accepts#body.n', 'accepted'))).toBe(
    'other',
  );
});

test('a correct response without the field does not show that a field with a default is supported', () => {
  const asAsked = createRequirement('chat.reply.choices-as-asked', 'behaviour');
  const accepted = createRequirement('createChatCompletion:accepts#body.n', 'accepted');
  const rejected = createRequirement('createChatCompletion:body.n#minimum.rejected', 'rejected');
  expect(supportOfN(asAsked)).toBe('not shown');
  expect(supportOfN(asAsked, accepted)).toBe('other');
  expect(supportOfN(asAsked, accepted, rejected)).toBe('supported');
});

test('equal replies do not show that a seed is supported', () => {
  const choice = {
    id: 'chat.seed.repeats',
    spec: '2',
    says: 'Whether.',
    consistent: true,
    taken: ['the same'],
  };
  const uncontradicted = { support: 'other', why: 'accepted; nothing contradicts its effect' };
  expect(requestFieldRow('seed', { choices: [choice] })).toMatchObject(uncontradicted);
});

test.for(['kept', 'not in the content'])(
  'a stop sequence that ends a reply shows that stop is supported, also if it is %s',
  (taken) => {
    const requirements = [
      createRequirement('chat.reply.nothing-after-stop', 'behaviour'),
      createRequirement('createChatCompletion:accepts#body.stop', 'accepted'),
      createRequirement('createChatCompletion:body.stop#maxItems.rejected', 'rejected'),
    ];
    const choice = { id: 'chat.stop.kept', spec: '2', says: 'Whether.', consistent: true };
    const supportIf = (...all: readonly string[]) =>
      requestFieldRow('stop', { requirements, choices: [{ ...choice, taken: all }] })?.support;
    expect(supportIf(taken)).toBe('supported');
    expect(supportIf()).toBe('other');
  },
);

test('tools that never work are ignored, and tools that the model may have declined are undecided', () => {
  const declined = {
    ...createRequirement('chat.tools.required-calls-some', 'behaviour', 'inconclusive'),
    cause: { kind: 'model', exchange: 'e1' },
  };
  const neverCalled = {
    ...createRequirement('chat.tool_call:function#required', 'behaviour', 'inconclusive'),
    cause: { kind: 'no-evidence', expected: { scenario: 'chat.tools.forced', received: [] } },
  };
  const sent = createRequirement('createChatCompletion:body.tools#type.accepted', 'accepted');
  const undecided = 'accepted; whether it has the effect is undecided';
  expect(requestFieldRow('tools', { requirements: [declined, sent] })?.why).toBe(undecided);
  expect(requestFieldRow('tools', { requirements: [declined, sent, neverCalled] })?.support).toBe('ignored');
});

test('a limit that no response obeys is ignored, and one that some obey is ignored in part', () => {
  const bounded = { ...createRequirement('chat.reply.tokens-bounded', 'behaviour'), verdict: 'fail' };
  const limit = { id: 'chat.finish-reason.at-limit', spec: '2', says: 'Which.', consistent: true };
  const partly = { support: 'other', why: 'accepted; some answers lack the effect, others have it' };
  expect(requestFieldRow('max_tokens', { requirements: [bounded] })?.support).toBe('ignored');
  expect(requestFieldRow('max_tokens', { requirements: [{ ...bounded, provoked: true }] })).toMatchObject(
    partly,
  );
  const choices = [{ ...limit, taken: ['length'] }];
  expect(requestFieldRow('max_tokens', { requirements: [bounded], choices })).toMatchObject(partly);
});

test('a required field of an answered request is accepted, and an optional one is not shown', () => {
  const accepted = { support: 'other', why: 'accepted; no requirement judges its effect' };
  expect(requestFieldRow('file', {})).toMatchObject(accepted);
  expect(requestFieldRow('seed', {})?.support).toBe('not shown');
});

function rowWith(operation: string, field: string, verdicts: Readonly<Record<string, string>>) {
  const { report } = sampleReport('green');
  const [one] = report.requirements;
  const requirements = Object.entries(verdicts).map(([id, verdict]) => {
    const [, side] = /\.(accepted|rejected)$/.exec(id) ?? [];
    return { ...one, id, kind: side ?? 'behaviour', family: 'batches', verdict, operations: [operation] };
  });
  const operations = [{ ...report.operations[0], id: operation, exercised: 1 }];
  const table = supportTable({ ...report, operations, requirements, choices: [], diagnoses: [] } as never); // as: the table reads no more
  return table.find((row) => row.operation === operation && row.field === field);
}

test('a stream with another media type counts as ignored only if no event was read', () => {
  const mislabelled = { 'createChatCompletion:stream#contentType': 'fail' };
  const rowIfRead = (read: string) =>
    rowWith('createChatCompletion', 'stream', {
      ...mislabelled,
      'createChatCompletion:stream#json': read,
    });
  expect(rowIfRead('inconclusive')).toMatchObject({ support: 'ignored' });
  const why = 'accepted; createChatCompletion:stream#contentType fails';
  expect(rowIfRead('pass')).toMatchObject({ support: 'other', why });
  expect(rowIfRead('fail')).toMatchObject({ support: 'other', why });
});

test('the requirements on a list say whether it obeys its parameters', () => {
  const probes = {
    'listBatches:query.limit#type.accepted': 'pass',
    'listBatches:query.limit#type.rejected': 'pass',
    'listBatches:query.after#type.accepted': 'pass',
  };
  const rowOf = (field: string, verdicts: Readonly<Record<string, string>>) =>
    rowWith('listBatches', `query.${field}`, { ...probes, ...verdicts });
  expect(rowOf('limit', { 'listBatches.page.limit': 'pass' })?.support).toBe('supported');
  expect(rowOf('limit', { 'listBatches.page.limit': 'fail' })?.support).toBe('ignored');
  expect(rowOf('limit', { 'listBatches.page.limit': 'untested' })).toMatchObject({
    support: 'other',
    why: 'accepted; the traffic does not show its effect',
  });
  expect(rowOf('after', { 'listBatches.page.after': 'pass' })?.support).toBe('supported');
  // A page that includes the cursor's own element does not ignore the cursor.
  expect(rowOf('after', { 'listBatches.page.after': 'fail' })).toMatchObject({
    support: 'other',
    why: 'accepted; listBatches.page.after fails',
  });
});

test('a limit that the traffic obeys does not count as supported if no invalid limit was sent', () => {
  const recorded = { 'listBatches:query.limit#type.accepted': 'pass', 'listBatches.page.limit': 'pass' };
  expect(rowWith('listBatches', 'query.limit', recorded)).toMatchObject({
    support: 'other',
    why: 'accepted; nothing contradicts its effect',
  });
});

test('an order is supported if both values have their effect, ignored if one lacks it, and uncertain if both do', () => {
  const supportOfOrder = (asc: string, desc: string) =>
    rowWith('listMessages', 'query.order', {
      'listMessages.page.order-asc': asc,
      'listMessages.page.order-desc': desc,
    })?.support;
  expect([
    supportOfOrder('pass', 'pass'),
    supportOfOrder('fail', 'pass'),
    supportOfOrder('pass', 'fail'),
  ]).toEqual(['supported', 'ignored', 'ignored']);
  expect(supportOfOrder('fail', 'fail')).toBe('other');
});

test('an ignored echo does not mean an ignored prompt', () => {
  const echo = { 'completions.text.echo-begins-with-prompt': 'fail' };
  expect(rowWith('createCompletion', 'prompt', echo)?.support).toBe('other');
  expect(rowWith('createCompletion', 'echo', echo)?.support).toBe('ignored');
});

test('a missing required call does not mean ignored tools', () => {
  const required = { 'chat.tools.required-calls-some': 'fail' };
  expect(rowWith('createChatCompletion', 'tools', required)).toMatchObject({
    support: 'other',
    why: 'accepted; chat.tools.required-calls-some fails',
  });
});
