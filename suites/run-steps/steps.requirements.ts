import { rowOf } from '../rows/rows.ts';
import { followUpsBy } from '../runs/follow-ups.ts';
import { existAndDiffer, isEmpty } from '../vocabulary/compare.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { successions, that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { CallSuccession, Json, Violation } from '../vocabulary/types.ts';
import { functionCalls, repeatedSteps, STEP_LOOK_UPS } from './steps.ts';

/** No operation changes the metadata of a step, but an empty map may be shown as null. */
export const runStepsSameMetadata = rowOf('run-steps.same.metadata', {
  evidence: repeatedSteps,
  check: ({ earlier, later }) => {
    const [before = null, now = null] = [earlier, later].map(({ value }) => valueAtPath(value, 'metadata'));
    const areEmpty = [before, now].every((value) => value === null || isEmpty(value));
    if (areEmpty || !existAndDiffer(before, now)) return [];
    const expected = `${JSON.stringify(before)}, as in ${earlier.call.exchange.id}`;
    return [violation(`${later.at}/metadata`, expected, now)];
  },
});

export const runStepsSameCalls = rowOf('run-steps.same.calls', {
  evidence: where(
    repeatedSteps,
    that('with function calls', ({ earlier }) => functionCalls(earlier.value).length > 0),
  ),
  check: ({ earlier, later }) => {
    const now = functionCalls(later.value);
    return functionCalls(earlier.value).flatMap((call): Violation[] => {
      const again = now.find((one) => valueAtPath(one, 'id') === valueAtPath(call, 'id'));
      if (again !== undefined && extendsCall(call, again)) return [];
      const expected = `${JSON.stringify(call)}, as in ${earlier.call.exchange.id}`;
      return [violation(`${later.at}/step_details/tool_calls`, expected, again ?? now)];
    });
  },
});

function extendsCall(call: Json, again: Json): boolean {
  const before = textAt(call, 'function', 'arguments') ?? '';
  const now = textAt(again, 'function', 'arguments') ?? '';
  const isSame = valueAtPath(call, 'function', 'name') === valueAtPath(again, 'function', 'name');
  return isSame && now.startsWith(before);
}

export const runStepsListAllOfStream = rowOf('run-steps.list.all-of-stream', {
  evidence: followUpsBy('listRunSteps'),
  check: ({ stream, answer }) => {
    const ids = arrayAt(answer, 'data').map((step) => textAt(step, 'id') ?? null);
    return (stream?.steps ?? [])
      .filter(({ id }) => !ids.includes(id))
      .map(({ id }) => violation('/data', `an element with id ${id}`, ids));
  },
});

export const runStepsCallsAsStreamed = rowOf('run-steps.calls.as-streamed', {
  evidence: followUpsBy(...STEP_LOOK_UPS),
  check: ({ streamedObjects }) =>
    streamedObjects.flatMap(({ at, value, streamed: { calls } }) =>
      calls.flatMap(({ index, id, name, arguments: joined }) => {
        const stored = valueAtPath(value, 'step_details', 'tool_calls', index);
        const parts = { id, 'function/name': name, 'function/arguments': joined };
        return Object.entries(parts).flatMap(([field, expected]): Violation[] => {
          const actual = valueAtPath(stored, ...field.split('/'));
          const place = `${at}/step_details/tool_calls/${index}/${field}`;
          if (actual === expected) return [];
          return [violation(place, `${JSON.stringify(expected) ?? 'nothing'}, as in the deltas`, actual)];
        });
      }),
    ),
});

export const runStepsMessageInThread = rowOf('run-steps.message.in-thread', {
  evidence: where(
    successions({ first: 'listRunSteps', later: 'listMessages', about: ({ path }) => path['thread_id'] }),
    that<CallSuccession>(
      'after a step that wrote a message',
      ({ before }) => writtenMessages(before.responseJson).length > 0,
    ),
  ),
  check: ({ before, after }) => {
    const messages = arrayAt(after.responseJson, 'data');
    return writtenMessages(before.responseJson).flatMap(({ message, run }): Violation[] => {
      const match = messages.find((candidate) => textAt(candidate, 'id') === message);
      const shownRun = valueAtPath(match, 'run_id');
      // The schema decides whether a message must name its run.
      if (match !== undefined && (shownRun === undefined || shownRun === run)) return [];
      return [violation('/data', `message ${message} of run ${run}`, shownRun)];
    });
  },
});

function writtenMessages(answer: Json | undefined) {
  return arrayAt(answer, 'data').flatMap((step) => {
    const message = textAt(step, 'step_details', 'message_creation', 'message_id');
    const run = textAt(step, 'run_id');
    if (message === undefined || run === undefined || valueAtPath(step, 'status') !== 'completed') return [];
    return [{ message, run }];
  });
}
