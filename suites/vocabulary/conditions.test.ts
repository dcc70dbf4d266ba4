import { expect, test } from 'vitest';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { asks, decided, leavesOut, lists, requests, settled, shows, unset, where } from './selectors.ts';
import { section } from './statements.ts';
import type { RequestEvidence } from './types.ts';

const answer = { status: 'open', count: 0, data: [1], none: null };

function holds(body: object, conditions: readonly ((evidence: RequestEvidence) => boolean)[], status = 200) {
  const trace = new TraceBuilder();
  trace.add('createChatCompletion', { body: JSON.parse(JSON.stringify(body)) }, { status, json: answer });
  const rule = section('2 Models').stated('test.conditions.hold', {
    says: 'A call that fulfils all conditions.',
    selector: where(requests('createChatCompletion'), ...conditions),
    check: () => [{ at: 'here', expected: 'nothing', actual: undefined }],
    mutations: { none: () => null },
  });
  return judgeRequirement(rule, trace.exchanges).violations.length === 1;
}

test('null is a value that a request can contain, and does not set the field', () => {
  const body = { n: null, choice: { type: 'function' }, list: [] };
  expect(holds(body, [asks('n'), unset('n'), unset('other'), leavesOut('other')])).toBe(true);
  expect([holds(body, [leavesOut('n')]), holds(body, [asks('other')])]).toEqual([false, false]);
  expect(holds(body, [asks('choice.type', 'auto', 'function'), asks('list', [])])).toBe(true);
  expect([holds(body, [asks('choice.type', 'auto')]), holds(body, [unset('choice')])]).toEqual([
    false,
    false,
  ]);
});

test('a response shows a field with its value, and a list with a number of elements', () => {
  expect(holds({}, [shows('status', 'shut', 'open'), shows('count', 0), shows('none'), lists('data')])).toBe(
    true,
  );
  expect([holds({}, [shows('missing')]), holds({}, [shows('status', 'shut')])]).toEqual([false, false]);
  expect([holds({}, [lists('data', 2)]), holds({}, [lists('status')])]).toEqual([false, false]);
});

test('a request is decided if it was carried out or rejected', () => {
  expect([200, 400, 500, 429].map((status) => holds({}, [decided], status))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('a request is settled if it was carried out or rejected, 404 included', () => {
  expect([200, 400, 404, 409, 500, 429].map((status) => holds({}, [settled], status))).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
});
