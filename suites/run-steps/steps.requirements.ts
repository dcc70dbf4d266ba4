import { asWholeList } from '../generate/lists.ts';
import { rowOf } from '../rows/rows.ts';
import { type FollowUp, followUpsBy, isCompleteResponse, type RepeatedObject } from '../runs/runs.ts';
import { COMPLETED, joinedCalls, type StreamedObject, WAITING } from '../runs/streams.ts';
import { setIn, setValue } from '../vocabulary/changes.ts';
import { isAnother, isEmpty } from '../vocabulary/compare.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { answered, lists, successions, that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { CallSuccession, Json, Violation } from '../vocabulary/types.ts';
import {
  functionCalls,
  LIST_STEPS,
  type PlacedStep,
  RETRIEVE_STEP,
  repeatedSteps,
  stepsOf,
} from './steps.ts';

const withStep = that<FollowUp>('with a step', ({ after }) => stepsOf(after).length > 0);

export const runStepsOwnersAssistantOfRun = rowOf('run-steps.owners.assistant-of-run', {
  evidence: where(followUpsBy([LIST_STEPS, RETRIEVE_STEP]), withStep),
  check: ({ after, run }) =>
    stepsOf(after).flatMap((step) => otherwise(step, 'assistant_id', textAt(run, 'assistant_id'))),
});

function otherwise({ at, value }: PlacedStep, field: string, expected: string | undefined): Violation[] {
  const actual = valueAtPath(value, field);
  return expected === undefined || actual === expected ? [] : [violation(`${at}/${field}`, expected, actual)];
}

const withMetadata = that<RepeatedObject>(
  'with metadata both times',
  ({ earlier, later }) => !hasNoMetadata(earlier) && !hasNoMetadata(later),
);

/** No operation changes the metadata of a step. An empty map may be shown as null. */
export const runStepsSameMetadata = rowOf('run-steps.same.metadata', {
  evidence: where(repeatedSteps, withMetadata),
  check: (found) => {
    const pairs = [found.earlier, found.later].map(({ value }) => valueAtPath(value, 'metadata') ?? null);
    const [before = null, now = null] = pairs;
    if (pairs.every(isEmpty) || !isAnother(before, now)) return [];
    const expected = `${JSON.stringify(before)}, as in ${found.earlier.call.exchange.id}`;
    return [violation(`${found.later.at}/metadata`, expected, now)];
  },
});

export const runStepsSameCalls = rowOf('run-steps.same.calls', {
  evidence: where(
    repeatedSteps,
    that('with calls of functions', ({ earlier }) => functionCalls(earlier.value).length > 0),
  ),
  check: ({ earlier, later }) => {
    const now = functionCalls(later.value);
    return functionCalls(earlier.value).flatMap((call): Violation[] => {
      const again = now.find((one) => valueAtPath(one, 'id') === valueAtPath(call, 'id'));
      if (again !== undefined && continues(call, again)) return [];
      const expected = `${JSON.stringify(call)}, as in ${earlier.call.exchange.id}`;
      return [violation(`${later.at}/step_details/tool_calls`, expected, again ?? now)];
    });
  },
});

function hasNoMetadata({ value }: RepeatedObject['earlier']): boolean {
  return valueAtPath(value, 'metadata') === undefined;
}

function continues(call: Json, again: Json): boolean {
  const before = textAt(call, 'function', 'arguments') ?? '';
  const now = textAt(again, 'function', 'arguments') ?? '';
  return (
    valueAtPath(call, 'function', 'name') === valueAtPath(again, 'function', 'name') && now.startsWith(before)
  );
}

const wholeLists = where(
  followUpsBy([LIST_STEPS]),
  that('that is the whole list', ({ after }) => isCompleteResponse(after)),
  that(
    'of a streamed run that completed or waits',
    ({ stream }) => stream?.runs.some(({ name }) => name === COMPLETED || name === WAITING) === true,
  ),
);

const streamed = that<FollowUp>('whose stream had a step', ({ stream }) => (stream?.steps.length ?? 0) > 0);

export const runStepsListAllOfStream = rowOf('run-steps.list.all-of-stream', {
  evidence: where(wholeLists, streamed),
  check: ({ stream, answer }) => {
    const ids = arrayAt(answer, 'data').map((step) => textAt(step, 'id'));
    return (stream?.steps ?? [])
      .filter(({ id }) => !ids.includes(id))
      .map(({ id }) => violation('/data', `an element with id ${id}`, ids.map(String)));
  },
});

const ofCompletedRun = that<FollowUp>(
  'whose stream completed the run',
  ({ stream }) => stream?.runs.some(({ name }) => name === COMPLETED) === true,
);

export const runStepsListOnlyOfStream = rowOf('run-steps.list.only-of-stream', {
  evidence: where(wholeLists, lists('data'), ofCompletedRun),
  check: ({ stream, answer }) => {
    const ids = stream?.steps.map(({ id }) => id) ?? [];
    return arrayAt(answer, 'data').flatMap((step, i) => {
      const id = textAt(step, 'id');
      return id === undefined || ids.includes(id)
        ? []
        : [violation(`/data/${i}/id`, `one of ${ids.join(', ')}`, id)];
    });
  },
  broken_by: {
    'one more': setIn(LIST_STEPS, '/data', (steps) =>
      arrayAt(steps).flatMap((step) => [step, setValue('/id', 'step_untold')(step)]),
    ),
  },
});

const calling = that<FollowUp>('of calls that a stream completed', (look) => streamedCalls(look).length > 0);

export const runStepsCallsAsStreamed = rowOf('run-steps.calls.as-streamed', {
  evidence: where(followUpsBy([LIST_STEPS, RETRIEVE_STEP]), calling),
  check: (followUp) => streamedCalls(followUp).flatMap(({ step, thing }) => differences(step, thing)),
});

const afterWriting = that<CallSuccession>(
  'after a step that wrote a message',
  ({ before }) => written(before.responseJson).length > 0,
);

export const runStepsMessageInThread = rowOf('run-steps.message.in-thread', {
  evidence: where(
    successions({ first: LIST_STEPS, later: 'listMessages', about: ({ path }) => path['thread_id'] }),
    answered,
    asWholeList,
    afterWriting,
  ),
  check: ({ before, after }) => {
    const messages = arrayAt(after.responseJson, 'data');
    return written(before.responseJson).flatMap(({ message, run }): Violation[] => {
      const found = messages.find((one) => textAt(one, 'id') === message);
      const isNamed = valueAtPath(found, 'run_id') !== undefined;
      // The schema says whether a message names its run.
      if (found !== undefined && (!isNamed || valueAtPath(found, 'run_id') === run)) return [];
      const expected = `message ${message} of run ${run}`;
      return [violation('/data', expected, found === undefined ? undefined : valueAtPath(found, 'run_id'))];
    });
  },
});

function streamedCalls({
  after,
  stream,
}: FollowUp): readonly { readonly step: PlacedStep; readonly thing: StreamedObject }[] {
  // An interrupted stream may lack the last deltas.
  const isWhole = stream?.runs.some(({ name }) => name === COMPLETED || name === WAITING);
  if (stream === null || isWhole !== true) return [];
  return stepsOf(after).flatMap((step) => {
    const object = stream.steps.find(({ id }) => id === (after.path['step_id'] ?? textAt(step.value, 'id')));
    return object === undefined || joinedCalls(object).length === 0 ? [] : [{ step, thing: object }];
  });
}

function differences({ at, value }: PlacedStep, object: StreamedObject): Violation[] {
  const calls = arrayAt(value, 'step_details', 'tool_calls');
  return joinedCalls(object).flatMap((call): Violation[] => {
    const stored = calls[call.index];
    const parts: readonly (readonly [string, Json | undefined, Json | undefined])[] = [
      ['id', call.id, valueAtPath(stored, 'id')],
      ['function/name', call.name, valueAtPath(stored, 'function', 'name')],
      ['function/arguments', call.arguments, valueAtPath(stored, 'function', 'arguments')],
    ];
    return parts
      .filter(([, joined, actual]) => joined !== actual)
      .map(([field, joined, actual]) =>
        violation(
          `${at}/step_details/tool_calls/${call.index}/${field}`,
          `${JSON.stringify(joined)}, as in the deltas`,
          actual,
        ),
      );
  });
}

function written(answer: Json | undefined) {
  return arrayAt(answer, 'data').flatMap((step) => {
    const message = textAt(step, 'step_details', 'message_creation', 'message_id');
    const run = textAt(step, 'run_id');
    if (message === undefined || run === undefined || valueAtPath(step, 'status') !== 'completed') return [];
    return [{ message, run }];
  });
}
