import { expect, test } from 'vitest';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import {
  asks,
  decided,
  leavesOut,
  lists,
  requests,
  sets,
  settled,
  shows,
  unset,
  where,
} from './selectors.ts';
import { section } from './statements.ts';
import type { JsonObject, RequestEvidence } from './types.ts';

const answer = { status: 'open', count: 0, data: [1], none: null };

function holds(
  body: JsonObject,
  conditions: readonly ((evidence: RequestEvidence) => boolean)[],
  status = 200,
): boolean {
  const trace = new TraceBuilder();
  trace.add('createChatCompletion', { body }, { status, json: answer });
  const rule = section('2 Models').stated('test.conditions.hold', {
    says: 'A call that fulfils all conditions.',
    selector: where(requests('createChatCompletion'), ...conditions),
    check: () => [{ at: 'here', expected: 'nothing', actual: undefined }],
    mutations: { none: () => null },
  });
  return judgeRequirement(rule, trace.exchanges).violations.length === 1;
}

test('a request asks for a field that is null, but does not set it', () => {
  const body = { n: null, m: 1 };
  expect(holds(body, [asks('n'), unset('n'), unset('other'), leavesOut('other'), sets('m')])).toBe(true);
  for (const condition of [leavesOut('n'), asks('other'), unset('m'), sets('n'), sets('other')])
    expect(holds(body, [condition])).toBe(false);
});

test('a request asks for a value if its field has one of the given values', () => {
  const body = { choice: { type: 'function' }, list: [] };
  expect(holds(body, [asks('choice.type', 'auto', 'function'), asks('list', [])])).toBe(true);
  expect(holds(body, [asks('choice.type', 'auto')])).toBe(false);
});

test('a response shows a field that is present, with one of the given values if there are any', () => {
  expect(holds({}, [shows('status', 'shut', 'open'), shows('count', 0), shows('none')])).toBe(true);
  expect([holds({}, [shows('missing')]), holds({}, [shows('status', 'shut')])]).toEqual([false, false]);
});

test('a response lists at least a number of elements', () => {
  expect(holds({}, [lists('data')])).toBe(true);
  expect([holds({}, [lists('data', 2)]), holds({}, [lists('status')])]).toEqual([false, false]);
});

test('a request is decided if it was accepted or rejected with 400, but not if the status is 404, 429 or 500', () => {
  const statuses = [200, 400, 404, 429, 500];
  expect(statuses.filter((status) => holds({}, [decided], status))).toEqual([200, 400]);
});

test('a request is settled if it was accepted or rejected, even with 404, but not if the status is 429 or 500', () => {
  const statuses = [200, 400, 404, 409, 429, 500];
  expect(statuses.filter((status) => holds({}, [settled], status))).toEqual([200, 400, 404, 409]);
});
