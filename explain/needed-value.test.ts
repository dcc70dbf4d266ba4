import { expect, test } from 'vitest';
import { responseConstraints } from '../judge/schema/response-schemas.ts';
import { conditionalRuleIn } from '../judge/schema/sentence.ts';
import { neededValue } from './needed-evidence.ts';

test.each([
  ['a value of any type decides a type requirement', 'thread.run:temperature#type', { path: 'temperature' }],
  [
    'null does not decide the limit of a nullable number',
    'thread.run:temperature#maximum',
    { path: 'temperature', types: ['number'] },
  ],
  [
    'null does not decide the limit of a nullable text',
    'assistant.v2:name#maxLength',
    { path: 'name', types: ['string'] },
  ],
  [
    'a limit names the type of the schema (integer), not of JSON (number)',
    'usage:total_tokens#minimum',
    { path: 'total_tokens', types: ['integer'] },
  ],
  ['an object decides whether its member is present', 'usage:total_tokens#required', { path: '' }],
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

test('a requirement that is no constraint of a response schema needs no value', () => {
  expect(neededValue('chat.reply.id-unique')).toBeNull();
});
