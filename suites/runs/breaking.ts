import {
  doubleEvent,
  dropEvent,
  inAnswer,
  inEvent,
  inFrames,
  moveEvent,
  type Pick,
  status,
  where,
} from '../../judge/edit/breaks.ts';
import { type Frame, frameWith, reframe } from '../../judge/edit/streams.ts';
import type { Edit } from '../../judge/edit/values.ts';
import { text } from '../../judge/json.ts';
import type { Break } from '../../judge/requirement.ts';
import { inTurn } from '../generate/in-turn.ts';
import { STREAMING } from './tale.ts';

/** Breaks the same in every operation of these; null where that breaks none. */
export function inEach(operations: readonly string[], make: (operation: string) => Break): Break {
  return inTurn(...operations.map(make));
}

/** The events of a name. */
export function named(name: string): Pick {
  return (frames) => frames.flatMap(({ event }, i) => (event === name ? [i] : []));
}

/** The last event of a name in each stream. */
export function lastNamed(name: string): Pick {
  return (frames) => named(name)(frames).slice(-1);
}

/** The first event of a name in each stream. */
export function firstNamed(name: string): Pick {
  return (frames) => named(name)(frames).slice(0, 1);
}

/** Leaves events out of the streams of runs. */
export const dropped = (pick: Pick): Break => inEach(STREAMING, (operation) => dropEvent(operation, pick));

/** Says events twice. */
export const doubled = (pick: Pick): Break => inEach(STREAMING, (operation) => doubleEvent(operation, pick));

/** Says events first, or last. */
export const moved = (pick: Pick, to: 'front' | 'back'): Break =>
  inEach(STREAMING, (operation) => moveEvent(operation, pick, to));

/** Edits the data of events. */
export const retold = (pick: Pick, edit: Edit): Break =>
  inEach(STREAMING, (operation) => inEvent(operation, pick, edit));

/** Says another event after each of a name, with its data edited. */
export const followed = (name: string, event: string, edit: Edit): Break =>
  rewritten((frames) =>
    frames.flatMap((frame) => {
      if (frame.event !== name) return [frame];
      return [frame, frameWith(event, reframe(frame, edit).data)];
    }),
  );

/** Gives events another name. */
export const renamed = (name: string, other: string): Break =>
  rewritten((frames) => frames.map((frame) => (frame.event === name ? frameWith(other, frame.data) : frame)));

/** Turns requests down. */
export const refused = inEach(STREAMING, (operation) => status(operation, 400));

/** Rewrites whole streams. */
export const rewritten = (rewrite: (frames: readonly Frame[]) => readonly Frame[]): Break =>
  inEach(STREAMING, (operation) => inFrames(operation, rewrite));

/** Edits every object of a kind in the streams of runs, whatever their events are called. */
export const inObjects = (kind: string, edit: Edit): Break =>
  retold(
    where((data) => text(data, 'object') === kind),
    edit,
  );

/** Edits runs in streams and in answers. */
export const inRuns = (edit: Edit): Break =>
  inEach(STREAMING, (operation) => (trace) => {
    const answers = inAnswer(operation, edit)(trace);
    const isRun = where((data) => text(data, 'object') === 'thread.run');
    return inEvent(operation, isRun, edit)(answers ?? trace) ?? answers;
  });
