import type { Json } from '../../exchange/body.ts';
import { inAnswer } from '../../judge/edit/breaks.ts';
import { put } from '../../judge/edit/values.ts';
import { get, list, text } from '../../judge/json.ts';
import type { Complaint } from '../../judge/requirement.ts';
import { only } from '../../judge/selectors/answers.ts';
import { successions } from '../../judge/selectors/relations.ts';
import { requirement } from '../../judge/write.ts';
import { isWholeList } from '../generate/lists/whole.ts';
import { joinedCalls } from '../runs/deltas.ts';
import { isWhole, type Look, looksBy } from '../runs/looks.ts';
import { COMPLETED, type Thing, WAITING } from '../runs/tale.ts';
import { LIST, type PlacedStep, RETRIEVE, stepsOf } from './steps.ts';

const SPEC = '1 Run step';
const LISTS = '1 Run steps';

/** Whole lists of the steps of runs whose stream told all that they do. */
const wholeLists = only(
  looksBy([LIST]),
  ({ after, tale }) =>
    isWhole(after) && tale?.runs.some(({ name }) => name === COMPLETED || name === WAITING) === true,
);

export const allListed = requirement({
  id: 'run-steps.list.all-of-stream',
  level: 'MUST',
  basis: 'implied',
  spec: LISTS,
  says: 'The steps that a stream told are in the list of the steps of its run.',
  on: only(wholeLists, ({ tale }) => (tale?.steps.length ?? 0) > 0),
  check: ({ tale, answer }) => {
    const ids = list(answer, 'data').map((step) => text(step, 'id'));
    return (tale?.steps ?? [])
      .filter(({ id }) => !ids.includes(id))
      .map(({ id }) => ({ at: '/data', expected: `an element with id ${id}`, actual: ids.map(String) }));
  },
  breaks: {
    'none is listed': inAnswer(LIST, put('/data', [])),
    'one is lost': inAnswer(
      LIST,
      put('/data', (steps) => list(steps).slice(1)),
    ),
    'under another id': inAnswer(LIST, put('/data/*/id', 'step_other')),
  },
});

export const noOthers = requirement({
  id: 'run-steps.list.only-of-stream',
  level: 'MUST',
  basis: 'implied',
  spec: LISTS,
  says: 'A run that completed has no steps that its stream did not tell.',
  // A run that only waits goes on once it has the outputs.
  on: only(
    wholeLists,
    ({ answer, tale }) =>
      list(answer, 'data').length > 0 && tale?.runs.some(({ name }) => name === COMPLETED) === true,
  ),
  check: ({ tale, answer }) => {
    const told = tale?.steps.map(({ id }) => id) ?? [];
    return list(answer, 'data').flatMap((step, i) => {
      const id = text(step, 'id');
      return id === undefined || told.includes(id)
        ? []
        : [{ at: `/data/${i}/id`, expected: `one of ${told.join(', ')}`, actual: id }];
    });
  },
  breaks: {
    'another one instead': inAnswer(LIST, put('/data/0/id', 'step_untold')),
    'one more': inAnswer(
      LIST,
      put('/data', (steps) => list(steps).flatMap((step) => [step, put('/id', 'step_untold')(step)])),
    ),
  },
});

export const callsStored = requirement({
  id: 'run-steps.calls.as-streamed',
  level: 'MUST',
  basis: 'implied',
  spec: '1 Events',
  says: 'The joined deltas of a step are its function calls when it is looked at afterwards.',
  on: only(looksBy([LIST, RETRIEVE]), (look) => streamedCalls(look).length > 0),
  check: (look) => streamedCalls(look).flatMap(({ step, thing }) => differences(step, thing)),
  breaks: {
    'other arguments in the list': inAnswer(
      LIST,
      put('/data/*/step_details/tool_calls/*/function/arguments', '{"other":true}'),
    ),
    'other arguments': inAnswer(RETRIEVE, put('/step_details/tool_calls/0/function/arguments', '')),
    'another name': inAnswer(RETRIEVE, put('/step_details/tool_calls/0/function/name', 'nobody_knows')),
    'another id': inAnswer(LIST, put('/data/*/step_details/tool_calls/*/id', 'call_other')),
    'no calls': inAnswer(RETRIEVE, put('/step_details/tool_calls', [])),
  },
});

export const messageExists = requirement({
  id: 'run-steps.message.in-thread',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'The message that a completed step wrote is in its thread, as one of its run.',
  on: only(
    successions({ first: LIST, later: 'listMessages', about: ({ path }) => path['thread_id'] }),
    ({ before, after }) =>
      after.answer !== undefined && isWholeList(after) && written(before.answer).length > 0,
  ),
  check: ({ before, after }) => {
    const messages = list(after.answer, 'data');
    return written(before.answer).flatMap(({ message, run }): Complaint[] => {
      const found = messages.find((one) => text(one, 'id') === message);
      if (found !== undefined && get(found, 'run_id') === run) return [];
      const expected = `message ${message} of run ${run}`;
      return [{ at: '/data', expected, actual: found === undefined ? undefined : get(found, 'run_id') }];
    });
  },
  breaks: {
    'not there': inAnswer('listMessages', put('/data', [])),
    'of no run': inAnswer('listMessages', put('/data/*/run_id', null)),
    'the step names another': inAnswer(
      LIST,
      put('/data/*/step_details/message_creation/message_id', 'msg_other'),
    ),
  },
});

/** Steps of an answer whose function calls were streamed before. */
function streamedCalls({
  after,
  tale,
}: Look): readonly { readonly step: PlacedStep; readonly thing: Thing }[] {
  // Of a stream that broke off, the last deltas may be missing.
  const isWhole = tale?.runs.some(({ name }) => name === COMPLETED || name === WAITING);
  if (tale === null || isWhole !== true) return [];
  return stepsOf(after).flatMap((step) => {
    const thing = tale.steps.find(({ id }) => id === (after.path['step_id'] ?? text(step.value, 'id')));
    return thing === undefined || joinedCalls(thing).length === 0 ? [] : [{ step, thing }];
  });
}

function differences({ at, value }: PlacedStep, thing: Thing): Complaint[] {
  const calls = list(value, 'step_details', 'tool_calls');
  return joinedCalls(thing).flatMap((call): Complaint[] => {
    const stored = calls[call.index];
    const parts: readonly (readonly [string, Json | undefined, Json | undefined])[] = [
      ['id', call.id, get(stored, 'id')],
      ['function/name', call.name, get(stored, 'function', 'name')],
      ['function/arguments', call.arguments, get(stored, 'function', 'arguments')],
    ];
    return parts
      .filter(([, joined, actual]) => joined !== actual)
      .map(([field, joined, actual]) => ({
        at: `${at}/step_details/tool_calls/${call.index}/${field}`,
        expected: `${JSON.stringify(joined)}, as the deltas told`,
        actual,
      }));
  });
}

/** Messages that the completed steps of a list wrote, and for which run. */
function written(answer: Json | undefined) {
  return list(answer, 'data').flatMap((step) => {
    const message = text(step, 'step_details', 'message_creation', 'message_id');
    const run = text(step, 'run_id');
    if (message === undefined || run === undefined || get(step, 'status') !== 'completed') return [];
    return [{ message, run }];
  });
}
