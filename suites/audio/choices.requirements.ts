import { choiceOf } from '../rows/rows.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { evidence } from './evidence.ts';
import type { TranscriptionResult } from './transcriptions.ts';

/** Times and durations are rounded independently of each other. */
const MAX_ROUNDING_SECONDS = 0.05;

function listStartTimes({ format, times, cues }: TranscriptionResult): readonly (readonly number[])[] {
  if (format !== 'verbose_json') return [cues().map(({ start }) => start)];
  return ['/words', '/segments'].map((field) =>
    times()
      .filter(({ at }) => at.startsWith(field))
      .map(({ start }) => start),
  );
}

const withTimedFormat = that<TranscriptionResult>(
  'whose request has response_format verbose_json, srt or vtt',
  ({ format }) => ['verbose_json', 'srt', 'vtt'].includes(format),
);

export const audioTimesOrder = choiceOf('audio.times.order', {
  selector: where(evidence.transcription, withTimedFormat, (result) =>
    listStartTimes(result).some((starts) => starts.length > 1),
  ),
  taken: (result) => {
    const isSorted = (starts: readonly number[]) =>
      starts.every((start, i) => start >= (starts[i - 1] ?? start));
    return listStartTimes(result).every(isSorted) ? 'in order' : 'in another order';
  },
});

export const audioTimesBounds = choiceOf('audio.times.bounds', {
  selector: evidence['detailed transcription'],
  taken: ({ duration, times }) => {
    const end = (duration() ?? 0) + MAX_ROUNDING_SECONDS;
    return times().every((time) => time.start >= 0 && time.end <= end) ? 'within' : 'beyond it';
  },
});
