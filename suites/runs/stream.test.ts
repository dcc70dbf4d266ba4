import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Behaviour, Evidence } from '../../judge/requirement.ts';
import { hear } from '../../judge/testing/hear.ts';
import { isRequirement } from '../../judge/write.ts';
import { type RunEvent, run, speaking, streamed, USAGE, waiting } from './testing/told.ts';

let behaviours: readonly Behaviour<Evidence>[] = [];

beforeAll(async () => {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.requirements.ts'));
  const modules = await Promise.all(files.map((file) => import(join(import.meta.dirname, file))));
  behaviours = modules.flatMap((module) => Object.values(module)).filter(isRequirement);
});

/** Ids of the requirements that object to a trace. */
function accusing(exchanges: readonly Exchange[]): readonly string[] {
  return behaviours.filter((one) => hear(one, exchanges).complaints.length > 0).map(({ id }) => id);
}

const streams = { speaking, waiting };

describe.each(Object.entries(streams))('the stream of a run that is %s', (_, events) => {
  test('is as it has to be', () => {
    expect(accusing(streamed(events).exchanges)).toEqual([]);
  });

  test.each(['client-abort', 'upstream-reset'] as const)('is no evidence of what a %s cut off', (how) => {
    for (const [n] of events.entries()) {
      expect({ n, accused: accusing(streamed(events.slice(0, n + 1), how).exchanges) }).toEqual({
        n,
        accused: [],
      });
    }
  });

  test('breaks one requirement alone where it ends before done', () => {
    const last = accusing(streamed(events.slice(0, -1)).exchanges);
    expect(last).toEqual(events === waiting ? [] : ['runs.stream.done-ends-stream']);
  });

  test('is accused for every two events that change places, but for those that may', () => {
    const spared = events.flatMap((event, i) => {
      const next = events[i + 1];
      if (next === undefined || event.event === next.event) return [];
      const swapped = events.toSpliced(i, 2, next, event);
      return accusing(streamed(swapped).exchanges).length > 0 ? [] : [`${next.event} < ${event.event}`];
    });
    const free = [
      'thread.run.created < thread.created',
      // Whether a step is told before its message is not stated, nor which of them ends first.
      'thread.message.created < thread.run.step.in_progress',
      'thread.run.step.completed < thread.message.completed',
    ];
    expect(spared.filter((one) => !free.includes(one))).toEqual([]);
  });

  test.each(names(events))('is accused where %s is left out', (name) => {
    const left = events.filter(({ event }) => event !== name);
    const isFree = name === 'done' && events === waiting;
    expect(accusing(streamed(left).exchanges).length > 0).toBe(!isFree);
  });
});

test.each([
  ['incomplete', 'thread.run.incomplete'],
  ['failed', 'run.failed'],
  ['cancelled', 'thread.run.cancelled'],
  ['expired', 'over'],
])('a run may end %s, told by %s', (status, event) => {
  const details = status === 'incomplete' ? { reason: 'max_completion_tokens' } : null;
  const last_error = status === 'failed' ? { message: 'Sorry.' } : null;
  const end = { event, data: run(status, { incomplete_details: details, last_error, usage: USAGE }) };
  const cut = [...speaking.slice(0, 10), end, { event: 'done', data: '[DONE]' }];
  expect(accusing(streamed(cut).exchanges)).toEqual([]);
});

test.each([
  ['ended incomplete', 'incomplete', 'runs.incomplete-details.set'],
  ['failed', 'failed', 'runs.failed.tells-why'],
])('a run that %s tells why, whatever its event is called', (_, status, rule) => {
  const end = { event: 'over', data: run(status, { usage: USAGE }) };
  const cut = [...speaking.slice(0, 10), end, { event: 'done', data: '[DONE]' }];
  expect(accusing(streamed(cut).exchanges)).toEqual([rule]);
});

test('a step that failed before its run completed has ended, too', () => {
  const events = speaking.flatMap((event) =>
    event.event === 'thread.run.step.completed'
      ? [{ event: 'thread.run.step.failed', data: { ...Object(event.data), status: 'failed' } }]
      : [event],
  );
  expect(accusing(streamed(events).exchanges)).toEqual([]);
});

test('an error event ends what can be told of a stream', () => {
  const events = [...speaking.slice(0, 9), { event: 'error', data: { error: { message: 'no' } } }];
  expect(accusing(streamed(events).exchanges)).toEqual([]);
});

function names(events: readonly RunEvent[]): readonly string[] {
  return [...new Set(events.map(({ event }) => event))];
}
