import { arrayAt, numberAt, valueAtPath } from '../../vocabulary/json.ts';
import type { Json } from '../../vocabulary/types.ts';
import { type Captions, readSrt, readVtt } from './captions.ts';
import type { TranscriptionResult } from './transcription-results.ts';

/** The part of a result that times are read from. */
type Written = Pick<TranscriptionResult, 'format' | 'written' | 'answer'>;

/** The captions of a response as srt or vtt, with the flaws of their format. */
export function captionsOf({ format, written }: Pick<Written, 'format' | 'written'>): Captions {
  return format === 'srt' ? readSrt(written) : readVtt(written);
}

/** Every start and end of words and segments in a response, in seconds, with its JSON pointer. */
export function timeSpansOf(answer: Json | undefined): { at: string; start: number; end: number }[] {
  return ['words', 'segments'].flatMap((field) =>
    arrayAt(answer, field).flatMap((one, i) => {
      const [start, end] = [numberAt(one, 'start'), numberAt(one, 'end')];
      return start === undefined || end === undefined ? [] : [{ at: `/${field}/${i}`, start, end }];
    }),
  );
}

/**
 * The duration that a response contains, in seconds, as a number or as a string of digits; undefined where
 * it is neither.
 */
export function reportedDuration({ answer }: Pick<Written, 'answer'>): number | undefined {
  const reported = valueAtPath(answer, 'duration');
  const value = typeof reported === 'string' && reported.trim() !== '' ? Number(reported) : reported;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The start times of words, segments or captions in seconds, in the order of the response. */
export function startTimesOf({ format, written, answer }: Written): readonly (readonly number[])[] {
  if (format !== 'verbose_json') return [captionsOf({ format, written }).cues.map(({ start }) => start)];
  const times = timeSpansOf(answer);
  return ['/words', '/segments'].map((field) =>
    times.filter(({ at }) => at.startsWith(field)).map(({ start }) => start),
  );
}
