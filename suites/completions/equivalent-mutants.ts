import { setValue } from '../vocabulary/changes.ts';
import { inStreamsOf } from '../vocabulary/equivalents.ts';
import { frameData, frameWithData } from '../vocabulary/exchanges.ts';
import { arrayAt, valueAtPath } from '../vocabulary/json.ts';
import type { EquivalentMutant, StreamFrame } from '../vocabulary/types.ts';

export const equivalentMutants: readonly EquivalentMutant[] = [
  inStreamsOf('createCompletion', 'usage on every text piece', repeatUsage),
];

function repeatUsage(frames: readonly StreamFrame[]): readonly StreamFrame[] {
  const usage = frames
    .map((frame) => valueAtPath(frameData(frame), 'usage') ?? null)
    .findLast((value) => value !== null);
  if (usage === undefined) return frames;
  return frames.flatMap((frame) => {
    const data = frameData(frame);
    if (data === undefined) return [frame];
    if (arrayAt(data, 'choices').length === 0) return [];
    return [frameWithData('', JSON.stringify(setValue('/usage', usage)(data)))];
  });
}
