import { removeValue, setValue } from '../../vocabulary/changes.ts';
import { arrayAt, textAt, valueAtPath } from '../../vocabulary/json.ts';
import { that, where } from '../../vocabulary/selectors.ts';
import { section, violation } from '../../vocabulary/statements.ts';
import type { Mutation, Violation } from '../../vocabulary/types.ts';
import { joinedCalls, joinedTexts } from './deltas.ts';
import {
  dropRunEvents,
  duplicateRunEvents,
  editRunEvents,
  eventsNamed,
  firstEventNamed,
  lastEventNamed,
  moveRunEvents,
  rewriteRunStreams,
  setInRunEvents,
} from './mutations.ts';
import { type RunStream, runStreams, runStreamsWith, type StreamedObject, WAITING } from './run-stream.ts';

const { stated, implied } = section('1 Events');
const MESSAGE = 'thread.message';
const STEP_DELTA = 'thread.run.step.delta';
const CALL = '/delta/step_details/tool_calls/0';

export const runsStreamDeltasAreMessage = implied('runs.stream.deltas-are-message', {
  says: 'The joined deltas of a message are its text when it is completed.',
  selector: runStreamsWith(`${MESSAGE}.completed`),
  check: ({ messages }) => messages.flatMap(textDifferences),
  mutations: {
    'a delta is lost': dropRunEvents(firstEventNamed(`${MESSAGE}.delta`)),
    'all deltas are lost': dropRunEvents(eventsNamed(`${MESSAGE}.delta`)),
    'a delta twice': duplicateRunEvents(lastEventNamed(`${MESSAGE}.delta`)),
    'the last delta first': moveRunEvents(lastEventNamed(`${MESSAGE}.delta`), 'front'),
    'another part grows': editRunEvents(
      firstEventNamed(`${MESSAGE}.delta`),
      setValue('/delta/content/0/index', 7),
    ),
    'another text': setInRunEvents(`${MESSAGE}.completed`, '/content/0/text/value', 'something else'),
    'a part without deltas': setInRunEvents(`${MESSAGE}.completed`, '/content', (parts) => [
      ...arrayAt(parts),
      ...arrayAt(parts),
    ]),
  },
});

const callsOf = where(
  runStreams,
  that('with a delta of a call', ({ steps }) => steps.some((step) => joinedCalls(step).length > 0)),
);

export const runsStreamCallNamedInFirstChunk = stated('runs.stream.call-named-in-first-chunk', {
  says: 'The first chunk of a function call contains its id and its name.',
  selector: callsOf,
  check: ({ steps }) =>
    chunksOf(steps)
      .filter(({ n }) => n === 0)
      .flatMap(({ at, chunk }) =>
        NAMES.filter((path) => textAt(chunk, ...path) === undefined).map((path) =>
          violation(
            `${at}/${path.join('/')}`,
            'a text in the first chunk of a call',
            valueAtPath(chunk, ...path),
          ),
        ),
      ),
  mutations: {
    'no id': editRunEvents(firstEventNamed(STEP_DELTA), removeValue(`${CALL}/id`)),
    'no name': editRunEvents(firstEventNamed(STEP_DELTA), removeValue(`${CALL}/function/name`)),
    'the first chunk is lost': dropRunEvents(firstEventNamed(STEP_DELTA)),
    'the first chunk last': moveRunEvents(firstEventNamed(STEP_DELTA), 'back'),
  },
});

const withTwoChunks = that<RunStream>('with two chunks of a call', ({ steps }) =>
  chunksOf(steps).some(({ n }) => n > 0),
);

export const runsStreamCallNamedOnce = stated('runs.stream.call-named-once', {
  says: 'Only the first chunk of a function call contains its id and its name.',
  selector: where(callsOf, withTwoChunks),
  check: ({ steps }) =>
    chunksOf(steps)
      .filter(({ n }) => n > 0)
      .flatMap(({ at, chunk }) =>
        NAMES.filter((path) => textAt(chunk, ...path) !== undefined).map((path) =>
          violation(
            `${at}/${path.join('/')}`,
            'none, it is not the first chunk of the call',
            valueAtPath(chunk, ...path),
          ),
        ),
      ),
  mutations: {
    'the id again': editRunEvents(lastEventNamed(STEP_DELTA), setValue(`${CALL}/id`, 'call_again')),
    'the name again': editRunEvents(lastEventNamed(STEP_DELTA), setValue(`${CALL}/function/name`, 'again')),
    'the first chunk again': duplicateRunEvents(firstEventNamed(STEP_DELTA)),
  },
});

export const runsStreamWaitingAfterDeltas = stated('runs.stream.waiting-after-deltas', {
  spec: '1 Run',
  says: 'Before a run waits for outputs, its stream contains the function calls in step deltas.',
  selector: runStreamsWith(WAITING),
  check: (stream) => {
    const wait = stream.runs.find(({ name }) => name === WAITING);
    const called = chunksOf(stream.steps).some(({ place }) => place < (wait?.place ?? 0));
    return wait === undefined || called
      ? []
      : [violation(wait.at, `${STEP_DELTA} with a function call before it`, wait.name)];
  },
  mutations: {
    'no deltas': dropRunEvents(eventsNamed(STEP_DELTA)),
    'deltas only later': moveRunEvents(eventsNamed(STEP_DELTA), 'back'),
    'deltas of other tools': setInRunEvents(STEP_DELTA, '/delta/step_details/tool_calls/*/type', 'other'),
  },
});

/** How the sentence of the next requirement can be untrue. */
const runsStreamCallsWholeWhenWaitingMutations: Readonly<Record<string, Mutation>> = {
  'the last delta follows': moveRunEvents(lastEventNamed(STEP_DELTA), 'back'),
  'waits too early': rewriteRunStreams((frames) => {
    const wait = frames.filter(({ event }) => event === WAITING);
    const others = frames.filter(({ event }) => event !== WAITING);
    const at = others.findLastIndex(({ event }) => event === 'thread.run.step.in_progress');
    return others.toSpliced(at + 1, 0, ...wait);
  }),
};

export const runsStreamCallsWholeWhenWaiting = implied('runs.stream.calls-whole-when-waiting', {
  spec: '1 Run',
  says: 'While a run waits for outputs, its function calls no longer grow.',
  selector: runStreamsWith(WAITING),
  check: ({ runs, steps, unlisted }) => {
    const wait = runs.findLast(({ name }) => name === WAITING);
    // How a run goes on once it has the outputs is not shown.
    if (wait === undefined || wait !== runs.at(-1) || unlisted.some(({ n }) => n > wait.n)) return [];
    return chunksOf(steps)
      .filter(
        ({ place, chunk }) => place > wait.place && (textAt(chunk, 'function', 'arguments') ?? '') !== '',
      )
      .map(({ at, chunk }) =>
        violation(
          `${at}/function/arguments`,
          `none, the run waits since ${wait.at}`,
          valueAtPath(chunk, 'function', 'arguments'),
        ),
      );
  },
  mutations: runsStreamCallsWholeWhenWaitingMutations,
});

const NAMES: readonly (readonly string[])[] = [['id'], ['function', 'name']];

/** The chunks of all function calls; `n` counts those of one call from 0. */
function chunksOf(steps: readonly StreamedObject[]) {
  return steps.flatMap((step) =>
    joinedCalls(step).flatMap(({ chunks }) => chunks.map((one, n) => ({ ...one, n }))),
  );
}

function textDifferences(message: StreamedObject): Violation[] {
  const end = message.events.find(({ verb }) => verb === 'completed');
  if (end === undefined) return [];
  const texts = joinedTexts(message);
  const parts = arrayAt(end.data, 'content');
  const indexes = new Set([...texts.keys(), ...parts.keys()]);
  return [...indexes].flatMap((i): Violation[] => {
    const part = parts[i];
    if (part !== undefined && valueAtPath(part, 'type') !== 'text') return [];
    const expected = texts.get(i) ?? '';
    const actual = textAt(part, 'text', 'value');
    // Of a part that nothing was written in none may be left.
    if (actual === expected || (part === undefined && expected === '')) return [];
    return [violation(`${end.at} /content/${i}/text/value`, JSON.stringify(expected), actual)];
  });
}
