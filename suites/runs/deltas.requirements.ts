import { put, remove } from '../../judge/edit/values.ts';
import { get, list, text } from '../../judge/json.ts';
import type { Complaint } from '../../judge/requirement.ts';
import { only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { doubled, dropped, firstNamed, lastNamed, moved, named, retold, rewritten } from './breaking.ts';
import { joinedCalls, joinedTexts } from './deltas.ts';
import { type Thing, tales, talesOf, WAITING } from './tale.ts';

const EVENTS = '1 Events';
const MESSAGE = 'thread.message';
const STEP_DELTA = 'thread.run.step.delta';
const CALL = '/delta/step_details/tool_calls/0';

export const textJoined = requirement({
  id: 'runs.stream.deltas-are-message',
  level: 'MUST',
  basis: 'implied',
  spec: EVENTS,
  says: 'The joined deltas of a message are its text when it is completed.',
  on: talesOf(`${MESSAGE}.completed`),
  check: ({ messages }) => messages.flatMap(textDifferences),
  breaks: {
    'a delta is lost': dropped(firstNamed(`${MESSAGE}.delta`)),
    'all deltas are lost': dropped(named(`${MESSAGE}.delta`)),
    'a delta twice': doubled(lastNamed(`${MESSAGE}.delta`)),
    'the last delta first': moved(lastNamed(`${MESSAGE}.delta`), 'front'),
    'another part grows': retold(firstNamed(`${MESSAGE}.delta`), put('/delta/content/0/index', 7)),
    'another text': retold(named(`${MESSAGE}.completed`), put('/content/0/text/value', 'something else')),
    'a part without deltas': retold(
      named(`${MESSAGE}.completed`),
      put('/content', (parts) => [...list(parts), ...list(parts)]),
    ),
  },
});

const callsOf = only(tales(), ({ steps }) => steps.some((step) => joinedCalls(step).length > 0));

export const namedFirst = requirement({
  id: 'runs.stream.call-named-in-first-chunk',
  level: 'MUST',
  basis: 'stated',
  spec: EVENTS,
  says: 'The first chunk of a function call tells its id and its name.',
  on: callsOf,
  check: ({ steps }) =>
    chunksOf(steps)
      .filter(({ n }) => n === 0)
      .flatMap(({ at, chunk }) =>
        NAMES.filter((path) => text(chunk, ...path) === undefined).map((path) => ({
          at: `${at}/${path.join('/')}`,
          expected: 'a text in the first chunk of a call',
          actual: get(chunk, ...path),
        })),
      ),
  breaks: {
    'no id': retold(firstNamed(STEP_DELTA), remove(`${CALL}/id`)),
    'no name': retold(firstNamed(STEP_DELTA), remove(`${CALL}/function/name`)),
    'the first chunk is lost': dropped(firstNamed(STEP_DELTA)),
    'the first chunk last': moved(firstNamed(STEP_DELTA), 'back'),
  },
});

export const namedOnce = requirement({
  id: 'runs.stream.call-named-once',
  level: 'MUST',
  basis: 'stated',
  spec: EVENTS,
  says: 'Only the first chunk of a function call tells its id and its name.',
  on: only(callsOf, ({ steps }) => chunksOf(steps).some(({ n }) => n > 0)),
  check: ({ steps }) =>
    chunksOf(steps)
      .filter(({ n }) => n > 0)
      .flatMap(({ at, chunk }) =>
        NAMES.filter((path) => text(chunk, ...path) !== undefined).map((path) => ({
          at: `${at}/${path.join('/')}`,
          expected: 'none, it is not the first chunk of the call',
          actual: get(chunk, ...path),
        })),
      ),
  breaks: {
    'the id again': retold(lastNamed(STEP_DELTA), put(`${CALL}/id`, 'call_again')),
    'the name again': retold(lastNamed(STEP_DELTA), put(`${CALL}/function/name`, 'again')),
    'the first chunk again': doubled(firstNamed(STEP_DELTA)),
  },
});

export const waitsWithDeltas = requirement({
  id: 'runs.stream.waiting-after-deltas',
  level: 'MUST',
  basis: 'stated',
  spec: '1 Run',
  says: 'Before a run waits for outputs, its stream tells the function calls in step deltas.',
  on: talesOf(WAITING),
  check: (tale) => {
    const wait = tale.runs.find(({ name }) => name === WAITING);
    const called = chunksOf(tale.steps).some(({ place }) => place < (wait?.place ?? 0));
    return wait === undefined || called
      ? []
      : [{ at: wait.at, expected: `${STEP_DELTA} with a function call before it`, actual: wait.name }];
  },
  breaks: {
    'no deltas': dropped(named(STEP_DELTA)),
    'deltas only later': moved(named(STEP_DELTA), 'back'),
    'deltas of other tools': retold(named(STEP_DELTA), put('/delta/step_details/tool_calls/*/type', 'other')),
  },
});

export const callsWhole = requirement({
  id: 'runs.stream.calls-whole-when-waiting',
  level: 'MUST',
  basis: 'implied',
  spec: '1 Run',
  says: 'While a run waits for outputs, its function calls do not grow any more.',
  on: talesOf(WAITING),
  check: ({ runs, steps, unlisted }) => {
    const wait = runs.findLast(({ name }) => name === WAITING);
    // How a run goes on once it has the outputs is not shown.
    if (wait === undefined || wait !== runs.at(-1) || unlisted.some(({ n }) => n > wait.n)) return [];
    return chunksOf(steps)
      .filter(({ place, chunk }) => place > wait.place && (text(chunk, 'function', 'arguments') ?? '') !== '')
      .map(({ at, chunk }) => ({
        at: `${at}/function/arguments`,
        expected: `none, the run waits since ${wait.at}`,
        actual: get(chunk, 'function', 'arguments'),
      }));
  },
  breaks: {
    'the last delta follows': moved(lastNamed(STEP_DELTA), 'back'),
    'waits too early': rewritten((frames) => {
      const wait = frames.filter(({ event }) => event === WAITING);
      const others = frames.filter(({ event }) => event !== WAITING);
      const at = others.findLastIndex(({ event }) => event === 'thread.run.step.in_progress');
      return others.toSpliced(at + 1, 0, ...wait);
    }),
  },
});

const NAMES: readonly (readonly string[])[] = [['id'], ['function', 'name']];

/** The chunks of all function calls; `n` counts those of one call from 0. */
function chunksOf(steps: readonly Thing[]) {
  return steps.flatMap((step) =>
    joinedCalls(step).flatMap(({ chunks }) => chunks.map((one, n) => ({ ...one, n }))),
  );
}

function textDifferences(message: Thing): Complaint[] {
  const end = message.told.find(({ verb }) => verb === 'completed');
  if (end === undefined) return [];
  const texts = joinedTexts(message);
  const parts = list(end.data, 'content');
  const indexes = new Set([...texts.keys(), ...parts.keys()]);
  return [...indexes].flatMap((i): Complaint[] => {
    const part = parts[i];
    if (part !== undefined && get(part, 'type') !== 'text') return [];
    const expected = texts.get(i) ?? '';
    const actual = text(part, 'text', 'value');
    // Of a part that nothing was written in none may be left.
    if (actual === expected || (part === undefined && expected === '')) return [];
    return [{ at: `${end.at} /content/${i}/text/value`, expected: JSON.stringify(expected), actual }];
  });
}
