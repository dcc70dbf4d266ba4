import { expect, test } from 'vitest';
import { responseConstraints } from '../judge/schema/response-schemas.ts';
import { conditionalRuleIn } from '../judge/schema/sentence.ts';
import { neededValue } from './needed-evidence.ts';

test.each([
  ['the type of a value is shown by any', 'thread.run:temperature#type', { path: 'temperature' }],
  [
    'the limit of a value that may be null is not shown by null',
    'thread.run:temperature#maximum',
    { path: 'temperature', types: ['number'] },
  ],
  [
    'the limit of a text that may be null is not shown by null',
    'assistant.v2:name#maxLength',
    { path: 'name', types: ['string'] },
  ],
  [
    'a limit names the type of the schema, not that of JSON',
    'usage:total_tokens#minimum',
    { path: 'total_tokens', types: ['integer'] },
  ],
  ['presence is shown by the object that lacks the member', 'usage:total_tokens#required', { path: '' }],
])('%s', (_, id, needed) => {
  expect(neededValue(id)).toEqual({ schema: id.slice(0, id.indexOf(':')), ...needed });
});

test('a rule across properties names the values that it concerns', () => {
  const status = { kind: 'field', of: 'value', field: 'status', is: 'present', values: ['failed'] };
  expect(neededValue('batch:#failed-at-set')).toEqual({ schema: 'batch', path: '', conditions: [status] });
  const page = neededValue('batch.list:#ids-of-a-page')?.conditions;
  expect(page).toEqual([{ kind: 'list', field: 'data', least: 1 }]);
  const rules = [...responseConstraints()].filter(([, { value }]) => conditionalRuleIn(value) !== null);
  expect(rules.length).toBeGreaterThan(40);
  for (const [id] of rules) expect(neededValue(id)?.conditions?.length, id).toBeGreaterThan(0);
});

test('a requirement that is no schema constraint needs no value', () => {
  expect(neededValue('chat.reply.id-unique')).toBeNull();
});
