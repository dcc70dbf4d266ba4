import { where } from '../../judge/edit/breaks.ts';
import { frameWith, reframe } from '../../judge/edit/streams.ts';
import { all, put } from '../../judge/edit/values.ts';
import { get, list, text } from '../../judge/json.ts';
import { only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { dropped, followed, inObjects, named, retold, rewritten } from './breaking.ts';
import { type JoinedCall, joinedCalls } from './deltas.ts';
import { COMPLETED, type Tale, tales, WAITING } from './tale.ts';

const RUNS = '1 Runs';
const STEP_DELTA = 'thread.run.step.delta';
const CALL = '/delta/step_details/tool_calls/0';
/** One more step, that calls tools. */
const MORE = all(put('/id', 'step_more'), put('/type', 'tool_calls'), put('/status', 'in_progress'));

/** A run that was cut short, or failed, tells nothing about what the model was made to do. */
const rested = only(tales(), ({ runs }) => runs.some(({ name }) => name === COMPLETED || name === WAITING));
const calling = only(tales(), (tale) => callsOf(tale).length > 0);

/** A model may answer in words all the same, and the run completes. One that waits for results has not refused. */
function ownChoice({ runs }: Tale): { readonly inconclusive?: 'model' } {
  return runs.some(({ name }) => name === WAITING) ? {} : { inconclusive: 'model' };
}

export const forced = requirement({
  id: 'runs.tools.forced-function-called',
  level: 'MUST',
  basis: 'stated',
  spec: RUNS,
  says: 'A run that is made to call a function calls that one, and no other.',
  on: only(rested, ({ asked }) => forcedName(asked) !== undefined),
  check: (tale) => {
    const names = callsOf(tale).map(({ name }) => name ?? null);
    const wanted = forcedName(tale.asked);
    if (names.length > 0 && names.every((name) => name === wanted)) return [];
    const found = { at: 'step deltas', expected: `calls of ${wanted}`, actual: names };
    return [names.length === 0 ? { ...found, ...ownChoice(tale) } : found];
  },
  breaks: {
    'not told': dropped(named(STEP_DELTA)),
    'another is called': retold(named(STEP_DELTA), put(`${CALL}/function/name`, 'nobody_knows')),
  },
});

export const required = requirement({
  id: 'runs.tools.required-calls-some',
  level: 'MUST',
  basis: 'implied',
  spec: RUNS,
  says: 'A run that is made to use a tool has a step that calls tools.',
  on: only(rested, ({ asked }) => isMadeTo(asked)),
  check: (tale) => {
    const types = tale.steps.map(({ told: [first] }) => text(first?.data, 'type') ?? null);
    if (types.includes('tool_calls')) return [];
    return [{ at: 'steps', expected: 'one of type tool_calls', actual: types, ...ownChoice(tale) }];
  },
  breaks: {
    'only a message': inObjects('thread.run.step', put('/type', 'message_creation')),
    'no step': dropped(where((_, event) => event.startsWith('thread.run.step.'))),
  },
});

export const none = requirement({
  id: 'runs.tools.none-calls-none',
  level: 'MUST',
  basis: 'implied',
  spec: RUNS,
  says: 'A run with tool_choice none has no step that calls tools.',
  on: only(tales(), ({ asked, steps }) => text(asked, 'tool_choice') === 'none' && steps.length > 0),
  check: ({ steps }) =>
    steps.flatMap(({ told: [first] }) =>
      text(first?.data, 'type') === 'tool_calls'
        ? [{ at: `${first?.at} /type`, expected: 'no call of tools', actual: 'tool_calls' }]
        : [],
    ),
  breaks: {
    'one is called': inObjects('thread.run.step', put('/type', 'tool_calls')),
    'one is called, too': followed('thread.run.step.completed', 'thread.run.step.created', MORE),
  },
});

export const withoutTools = requirement({
  id: 'runs.tools.no-tools-no-calls',
  level: 'MUST',
  basis: 'implied',
  spec: '1 Run',
  says: 'A run without tools has no step that calls tools.',
  on: only(tales(), ({ runs: [run], steps }) => {
    const tools = get(run?.data, 'tools');
    return Array.isArray(tools) && tools.length === 0 && steps.length > 0;
  }),
  check: none.check,
  breaks: {
    'one is called': inObjects('thread.run.step', put('/type', 'tool_calls')),
    'one is called, too': followed('thread.run.step.completed', 'thread.run.step.created', MORE),
  },
});

export const known = requirement({
  id: 'runs.tools.only-given-functions',
  level: 'MUST',
  basis: 'implied',
  spec: '1 Run',
  says: 'A run calls only functions that are among its tools.',
  on: only(calling, ({ runs }) => runs.length > 0),
  check: (tale) => {
    const given = list(tale.runs[0]?.data, 'tools').map((tool) => text(tool, 'function', 'name'));
    return callsOf(tale)
      .filter(({ name }) => name !== undefined && !given.includes(name))
      .map(({ name, chunks: [first] }) => ({
        at: `${first?.at}/function/name`,
        expected: `one of ${given.filter(Boolean).join(', ')}`,
        actual: name,
      }));
  },
  breaks: {
    'an unknown one': retold(named(STEP_DELTA), put(`${CALL}/function/name`, 'nobody_knows')),
    'a name in other letters': retold(
      named(STEP_DELTA),
      put(`${CALL}/function/name`, (name) => String(name).toUpperCase()),
    ),
  },
});

export const callIds = requirement({
  id: 'runs.tools.call-ids-differ',
  level: 'MUST',
  basis: 'implied',
  spec: '1 Run step',
  says: 'The function calls of a run have different ids.',
  on: calling,
  check: (tale) => {
    const calls = callsOf(tale).filter(({ id }) => id !== undefined);
    return calls.flatMap(({ id, chunks: [first] }, i) =>
      calls.findIndex((other) => other.id === id) === i
        ? []
        : [{ at: `${first?.at}/id`, expected: 'an id of its own', actual: id }],
    );
  },
  breaks: {
    'the same call twice': rewritten((frames) =>
      frames.flatMap((frame) => {
        if (frame.event !== STEP_DELTA) return [frame];
        return [frame, reframe(frame, put(`${CALL}/index`, 9))];
      }),
    ),
    'another function under the same id': rewritten((frames) =>
      frames.flatMap((frame) => {
        if (frame.event !== STEP_DELTA) return [frame];
        return [frame, reframe(frame, all(put(`${CALL}/index`, 9), put(`${CALL}/function/name`, 'another')))];
      }),
    ),
  },
});

export const waits = requirement({
  id: 'runs.tools.calls-wait-for-outputs',
  level: 'MUST',
  basis: 'stated',
  spec: '1 Run',
  says: 'A run that calls functions waits for their outputs before it completes.',
  on: only(rested, (tale) => callsOf(tale).length > 0),
  check: ({ runs }) => {
    const end = runs.find(({ name }) => name === COMPLETED);
    const wait = runs.find(({ name }) => name === WAITING);
    if (end === undefined || (wait !== undefined && wait.place < end.place)) return [];
    return [{ at: end.at, expected: `${WAITING} before it`, actual: end.name }];
  },
  breaks: {
    'completes first': rewritten((frames) =>
      frames.flatMap((frame) =>
        frame.event === WAITING ? [frameWith(COMPLETED, frame.data), frame] : [frame],
      ),
    ),
    'completes at once': rewritten((frames) =>
      frames.map((frame) => (frame.event === WAITING ? frameWith(COMPLETED, frame.data) : frame)),
    ),
  },
});

function callsOf({ steps }: Tale): readonly JoinedCall[] {
  return steps.flatMap(joinedCalls);
}

function forcedName(asked: Tale['asked']): string | undefined {
  return text(asked, 'tool_choice', 'function', 'name');
}

function isMadeTo(asked: Tale['asked']): boolean {
  return text(asked, 'tool_choice') === 'required' || text(asked, 'tool_choice', 'type') !== undefined;
}
