import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import { isRequirement } from '../../judge/requirements/define.ts';
import type { BehaviourRequirement, Evidence } from '../../judge/requirements/requirement.ts';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { requirementRows } from '../rows/rows.ts';
import { requirementFromRow } from '../testing/row.ts';
import { runsStreamKeepsSettings } from './streams.requirements.ts';
import {
  messageRun,
  RUN_USAGE,
  type RunEventSketch,
  runObject,
  streamedTrace,
  waitingRun,
} from './testing/run-events.ts';

let requirements: readonly BehaviourRequirement<Evidence>[] = [];

beforeAll(async () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.requirements.ts'),
  );
  const modules = await Promise.all(files.map((file) => import(join(import.meta.dirname, file))));
  const rows = [...requirementRows().values()].filter(({ row }) => row.id.startsWith('runs.') && !row.code);
  requirements = [
    ...modules.flatMap((module) => Object.values(module).flat()).filter(isRequirement),
    ...rows.map(({ row }) => requirementFromRow(row.id)),
  ];
});

function findViolated(exchanges: readonly Exchange[]): readonly string[] {
  return requirements
    .filter((one) => judgeRequirement(one, exchanges).violations.length > 0)
    .map(({ id }) => id);
}

const streams = { 'writes a message': messageRun, 'waits for tool outputs': waitingRun };

describe.each(Object.entries(streams))('the stream of a run that %s', (_, events) => {
  test('breaks no requirement', () => {
    expect(findViolated(streamedTrace(events).exchanges)).toEqual([]);
  });

  test.each(['client-abort', 'upstream-reset'] as const)(
    'breaks no requirement wherever it is cut off by %s',
    (how) => {
      for (const [n] of events.entries()) {
        expect({ n, violated: findViolated(streamedTrace(events.slice(0, n + 1), how).exchanges) }).toEqual({
          n,
          violated: [],
        });
      }
    },
  );

  test('breaks only the requirement on done if it ends before done, and none if the run waits', () => {
    const last = findViolated(streamedTrace(events.slice(0, -1)).exchanges);
    expect(last).toEqual(events === waitingRun ? [] : ['runs.stream.done-ends-stream']);
  });

  test('breaks a requirement if two adjacent events of different types are swapped, unless their order is free', () => {
    const unreported = events.flatMap((event, i) => {
      const next = events[i + 1];
      if (next === undefined || event.event === next.event) return [];
      const swapped = events.toSpliced(i, 2, next, event);
      return findViolated(streamedTrace(swapped).exchanges).length > 0
        ? []
        : [`${next.event} < ${event.event}`];
    });
    const freeOrders = [
      'thread.run.created < thread.created',
      // The specification does not state whether a step appears before its message, nor which of them ends first.
      'thread.message.created < thread.run.step.in_progress',
      'thread.run.step.completed < thread.message.completed',
    ];
    const names = listNames(events);
    expect(unreported).toEqual(
      freeOrders.filter((order) => order.split(' < ').every((name) => names.includes(name))),
    );
  });

  test.each(listNames(events))(
    'breaks a requirement without %s events, except without done if the run waits',
    (name) => {
      const remaining = events.filter(({ event }) => event !== name);
      const isFree = name === 'done' && events === waitingRun;
      expect(findViolated(streamedTrace(remaining).exchanges).length > 0).toBe(!isFree);
    },
  );
});

test.each([
  ['incomplete', 'thread.run.incomplete'],
  ['failed', 'run.failed'],
  ['cancelled', 'thread.run.cancelled'],
  ['expired', 'over'],
])('a run may end as %s, reported by the event %s', (status, event) => {
  const details = status === 'incomplete' ? { reason: 'max_completion_tokens' } : null;
  const failure = status === 'failed' ? { last_error: { message: 'Sorry.' }, failed_at: 1_700_000_009 } : {};
  const end = {
    event,
    data: runObject(status, { incomplete_details: details, ...failure, usage: RUN_USAGE }),
  };
  const cut = [...messageRun.slice(0, 10), end, { event: 'done', data: '[DONE]' }];
  expect(findViolated(streamedTrace(cut).exchanges)).toEqual([]);
});

test.each([
  ['ended incomplete', 'incomplete', ['runs.incomplete-details.set']],
  ['failed', 'failed', ['runs.failed.tells-why', 'runs.failed.tells-when']],
])('a run that %s is judged by its status, whatever its event is called', (_, status, rules) => {
  const end = { event: 'over', data: runObject(status, { usage: RUN_USAGE }) };
  const cut = [...messageRun.slice(0, 10), end, { event: 'done', data: '[DONE]' }];
  expect(findViolated(streamedTrace(cut).exchanges)).toEqual(rules);
});

test.each([
  ['completed_at', 1_700_000_009, ['runs.times.incomplete-has-no-other-end']],
  ['failed_at', 1_700_000_009, ['runs.times.incomplete-has-no-other-end']],
  ['cancelled_at', 1_700_000_009, ['runs.times.incomplete-has-no-other-end']],
  ['expires_at', 1_700_000_009, []],
  ['started_at', null, ['runs.times.incomplete-started']],
])('an incomplete run whose %s is %s breaks exactly %j', (field, value, rules) => {
  const details = { incomplete_details: { reason: 'max_completion_tokens' }, usage: RUN_USAGE };
  const end = { event: 'over', data: runObject('incomplete', { ...details, [field]: value }) };
  const cut = [...messageRun.slice(0, 10), end, { event: 'done', data: '[DONE]' }];
  expect(findViolated(streamedTrace(cut).exchanges)).toEqual(rules);
});

test('a step that failed before its run completed has also ended', () => {
  const events = messageRun.flatMap((event) =>
    event.event === 'thread.run.step.completed'
      ? [{ event: 'thread.run.step.failed', data: { ...Object(event.data), status: 'failed' } }]
      : [event],
  );
  expect(findViolated(streamedTrace(events).exchanges)).toEqual([]);
});

test('a stream of unlisted events alone lacks thread.created', () => {
  const failure = { last_error: { message: 'Sorry.' }, failed_at: 1_700_000_009 };
  const failed = { event: 'thread.run.failed', data: runObject('failed', failure) };
  expect(findViolated(streamedTrace([failed]).exchanges)).toEqual(['runs.stream.thread-created-once']);
});

test('a stream that ends with an error event breaks no requirement', () => {
  const events = [...messageRun.slice(0, 9), { event: 'error', data: { error: { message: 'no' } } }];
  expect(findViolated(streamedTrace(events).exchanges)).toEqual([]);
});

test('a setting that a later event shows as empty is found at the event and its field', () => {
  const { exchanges } = streamedTrace([
    { event: 'thread.run.created', data: runObject('queued', { metadata: { key: 'a' } }) },
    { event: 'thread.run.queued', data: runObject('queued', { metadata: {} }) },
  ]);
  expect(judgeRequirement(runsStreamKeepsSettings, exchanges).violations).toMatchObject([
    { at: 'event 2 /metadata' },
  ]);
});

function listNames(events: readonly RunEventSketch[]): readonly string[] {
  return [...new Set(events.map(({ event }) => event))];
}
