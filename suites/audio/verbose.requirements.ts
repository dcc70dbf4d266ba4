import { removeValue, setValue } from '../vocabulary/changes.ts';
import { textAt, valueAtPath } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Json, Violation } from '../vocabulary/types.ts';
import { readAudio } from './container/read.ts';
import { inDetail } from './mutations.ts';
import { reportedDuration, timeSpansOf } from './selectors/times.ts';
import {
  granularities,
  type TranscriptionResult,
  transcriptionsIn,
} from './selectors/transcription-results.ts';

const SPEC = '2 Transcription objects';
const { implied } = section(SPEC);

const detailed = where(
  transcriptionsIn(['verbose_json']),
  that('that is JSON with a text', ({ answer }) => textAt(answer, 'text') !== undefined),
);

export const wordsWhenAsked = whenAsked('word', 'words', 'Words have times if word times are requested.');

export const segmentsWhenAsked = whenAsked(
  'segment',
  'segments',
  'Segments have times if segment times are requested.',
);

const withTimes = that<TranscriptionResult>(
  'with the times of a word or segment',
  ({ answer }) => timeSpansOf(answer).length > 0,
);

export const audioVerboseEndsAfterStart = implied('audio.verbose.ends-after-start', {
  says: 'Words and segments do not end before they begin.',
  selector: where(detailed, withTimes),
  check: ({ answer }) =>
    timeSpansOf(answer)
      .filter(({ start, end }) => end < start)
      .map(({ at, start, end }) => violation(`${at}/end`, `${start} or later`, end)),
  mutations: {
    'a word that ends at once': inDetail(setValue('/words/0/end', -1)),
    'a segment that ends before': inDetail(setValue('/segments/0/start', 100_000)),
  },
});

/** A duration that is wrong by this factor is in another unit: services do not pad or cut that much. */
const UNIT = 20;
/** Models process pieces of 30 seconds, and some report the length of these. */
const PIECE = 30;

export const audioVerboseDurationOfTheAudio = implied('audio.verbose.duration-of-the-audio', {
  says: 'The duration is in seconds: it is less than twenty times too long or too short.',
  selector: where(
    detailed,
    that('of audio whose length can be read', (evidence) => lengthOf(evidence) !== null),
    that('with a duration', (heard) => reportedDuration(heard) !== undefined),
  ),
  check: (evidence) => {
    const length = lengthOf(evidence) ?? 0;
    const reported = reportedDuration(evidence) ?? 0;
    // A service that recognizes no speech may count no duration.
    const isPlausible =
      reported === 0 || (reported > length / UNIT && reported < UNIT * Math.max(length, PIECE));
    return isPlausible
      ? []
      : [violation('/duration', `about ${length}`, valueAtPath(evidence.answer, 'duration'))];
  },
  mutations: {
    'in milliseconds': inDetail(setValue('/duration', (old) => Number(old) * 1000)),
    'in minutes': inDetail(setValue('/duration', (old) => Number(old) / 60)),
  },
});

function whenAsked(granularity: 'word' | 'segment', field: 'words' | 'segments', says: string) {
  return section(SPEC).stated(`audio.verbose.${field}-when-asked`, {
    says,
    selector: where(
      detailed,
      that(
        `whose request has timestamp_granularities ${granularity}`,
        ({ asked }) => granularities(asked)?.includes(granularity) === true,
      ),
    ),
    check: ({ answer }): Violation[] => {
      const reported = valueAtPath(answer, field);
      // A text without a word has no times.
      const isReported = Array.isArray(reported) && (reported.length > 0 || !hasWords(answer));
      return isReported ? [] : [violation(`/${field}`, `a list of ${field}`, reported)];
    },
    mutations: {
      'left out': inDetail(removeValue(`/${field}`)),
      'null instead': inDetail(setValue(`/${field}`, null)),
      'always empty': inDetail(setValue(`/${field}`, [])),
    },
  });
}

function hasWords(answer: Json | undefined): boolean {
  return /[\p{L}\p{N}]/u.test(textAt(answer, 'text') ?? '');
}

/** Duration in seconds of the audio that was sent; null where its container does not contain it. */
function lengthOf({ file }: TranscriptionResult): number | null {
  const bytes = file?.body.bytes ?? null;
  return bytes === null ? null : (readAudio(bytes)?.seconds ?? null);
}
