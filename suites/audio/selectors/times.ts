import type { Json } from '../../../exchange/http/body.ts';
import { arrayAt, numberAt, valueAtPath } from '../../../judge/evidence/json.ts';
import { type Captions, readSrt, readVtt } from './captions.ts';
import type { TranscriptionResult } from './transcription-results.ts';

type Written = Pick<TranscriptionResult, 'format' | 'written' | 'answer'>;

/** The captions of an answer as srt or vtt. */
export function captionsOf({ format, written }: Pick<Written, 'format' | 'written'>): Captions {
  return format === 'srt' ? readSrt(written) : readVtt(written);
}

/** Every time span of an answer, with its place. */
export function timeSpansOf(answer: Json | undefined): { at: string; start: number; end: number }[] {
  return ['words', 'segments'].flatMap((field) =>
    arrayAt(answer, field).flatMap((one, i) => {
      const [start, end] = [numberAt(one, 'start'), numberAt(one, 'end')];
      return start === undefined || end === undefined ? [] : [{ at: `/${field}/${i}`, start, end }];
    }),
  );
}

/** The duration that an answer tells, be it as a number or as text. */
export function reportedDuration({ answer }: Pick<Written, 'answer'>): number | undefined {
  const told = valueAtPath(answer, 'duration');
  const value = typeof told === 'string' && told.trim() !== '' ? Number(told) : told;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** When words, segments or captions begin, in the order in which they come. */
export function startTimesOf({ format, written, answer }: Written): readonly (readonly number[])[] {
  if (format !== 'verbose_json') return [captionsOf({ format, written }).cues.map(({ start }) => start)];
  const times = timeSpansOf(answer);
  return ['/words', '/segments'].map((field) =>
    times.filter(({ at }) => at.startsWith(field)).map(({ start }) => start),
  );
}
