import type { Json } from '../../exchange/body.ts';
import { get, list, number } from '../../judge/json.ts';
import { type Captions, readSrt, readVtt } from './captions.ts';
import type { Heard } from './heard.ts';

type Written = Pick<Heard, 'format' | 'written' | 'answer'>;

/** The captions of an answer as srt or vtt. */
export function captionsOf({ format, written }: Pick<Written, 'format' | 'written'>): Captions {
  return format === 'srt' ? readSrt(written) : readVtt(written);
}

/** Every time span of an answer, with its place. */
export function timesOf(answer: Json | undefined): { at: string; start: number; end: number }[] {
  return ['words', 'segments'].flatMap((field) =>
    list(answer, field).flatMap((one, i) => {
      const [start, end] = [number(one, 'start'), number(one, 'end')];
      return start === undefined || end === undefined ? [] : [{ at: `/${field}/${i}`, start, end }];
    }),
  );
}

/** The duration that an answer tells, be it as a number or as text. */
export function durationOf({ answer }: Pick<Written, 'answer'>): number | undefined {
  const told = get(answer, 'duration');
  const value = typeof told === 'string' && told.trim() !== '' ? Number(told) : told;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** When words, segments or captions begin, in the order in which they come. */
export function startsOf({ format, written, answer }: Written): readonly (readonly number[])[] {
  if (format !== 'verbose_json') return [captionsOf({ format, written }).cues.map(({ start }) => start)];
  const times = timesOf(answer);
  return ['/words', '/segments'].map((field) =>
    times.filter(({ at }) => at.startsWith(field)).map(({ start }) => start),
  );
}
