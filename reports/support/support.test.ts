import { expect, test } from 'vitest';
import { sampleReport } from '../samples/sample.ts';
import { supportTable } from './support.ts';

test('a field with a default is not supported because an answer without it is right', () => {
  const { report } = sampleReport('green');
  const [one] = report.requirements;
  const passing = (id: string, kind: string) => ({
    ...one,
    ...{ id, kind, family: 'chat', verdict: 'pass', cause: null },
    operations: ['createChatCompletion'],
  });
  const operations = [{ ...report.operations[0], id: 'createChatCompletion', exercised: 1 }];
  const supportOf = (...requirements: readonly object[]) => {
    const table = supportTable({ ...report, operations, requirements, diagnoses: [] } as never); // as: what the table reads
    return table.find(({ operation, field }) => operation === 'createChatCompletion' && field === 'n')
      ?.support;
  };
  const asAsked = passing('chat.reply.choices-as-asked', 'behaviour');
  const accepted = passing('createChatCompletion:accepts#body.n', 'accepted');
  const rejected = passing('createChatCompletion:body.n#minimum.rejected', 'rejected');
  expect(supportOf(asAsked)).toBe('not shown');
  expect(supportOf(asAsked, accepted)).toBe('other');
  expect(supportOf(asAsked, accepted, rejected)).toBe('supported');
});
