import { isSteady } from '../chat/chunks.ts';
import { rowOf } from '../rows/rows.ts';
import { removeValue, setValue } from '../vocabulary/changes.ts';
import { textAt, valueAtPath } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Json, Violation } from '../vocabulary/types.ts';
import { readAudio } from './container.ts';
import {
  type Captions,
  captionsOf,
  granularities,
  inDetail,
  inTranscriptionFormat,
  readSrt,
  reportedDuration,
  sameAudioTranscripts,
  type TranscriptionResult,
  timeSpansOf,
  transcriptionsIn,
} from './transcriptions.ts';

const { stated, implied } = section('2 Audio');
const withContent = that('that is not empty', hasContent);
const OBJECT = '{"text":"This object was not requested."}';

export const audioTranscriptionTextIsPlain = rowOf('audio.transcription.text-is-plain', {
  evidence: where(transcriptionsIn(['text']), withContent),
  broken_by: {
    'an object': inTranscriptionFormat('text', () => OBJECT),
    'a list': inTranscriptionFormat('text', () => '["Hello"]'),
  },
});

export const audioTranscriptionSrtIsSubrip = stated('audio.transcription.srt-is-subrip', {
  says: 'A transcription as srt is SubRip: blocks of times and text.',
  selector: where(transcriptionsIn(['srt']), withContent),
  check: (evidence) => flawsOf(captionsOf(evidence)),
  mutations: {
    'an object': inTranscriptionFormat('srt', () => OBJECT),
    'nothing but text': inTranscriptionFormat('srt', (file) => file.replaceAll(/^.*-->.*$/gm, '')),
    'points instead of commas': inTranscriptionFormat('srt', (file) => file.replaceAll(',', '.')),
    WebVTT: inTranscriptionFormat('srt', (file) => `WEBVTT\n\n${file}`),
  },
});

const withSrt = that<TranscriptionResult>('with a cue', ({ written }) => readSrt(written).cues.length > 0);

export const audioTranscriptionSrtIsNumbered = implied('audio.transcription.srt-is-numbered', {
  says: 'The blocks of a transcription as srt are numbered one after the other.',
  selector: where(transcriptionsIn(['srt']), withSrt),
  check: ({ written }) => {
    const { cues } = readSrt(written);
    // Some count from 0.
    const start = cues[0]?.label?.trim() === '0' ? 0 : 1;
    return cues.flatMap(({ label, line }, i) =>
      label?.trim() === String(i + start)
        ? []
        : [violation(`line ${line - 1}`, `${i + start}, the number of the block`, label)],
    );
  },
  mutations: {
    'one number for all': inTranscriptionFormat('srt', (file) => file.replaceAll(/^\d+$/gm, '7')),
    'no numbers': inTranscriptionFormat('srt', (file) => file.replaceAll(/^\d+$\n/gm, '')),
  },
});

export const audioTranscriptionVttIsWebvtt = stated('audio.transcription.vtt-is-webvtt', {
  says: 'A transcription as vtt is WebVTT: the header WEBVTT, then times and text.',
  selector: where(transcriptionsIn(['vtt']), withContent),
  check: (evidence) => flawsOf(captionsOf(evidence)),
  mutations: {
    'an object': inTranscriptionFormat('vtt', () => OBJECT),
    'without its header': inTranscriptionFormat('vtt', (file) => file.replace(/^WEBVTT\s*/, '')),
    'commas instead of points': inTranscriptionFormat('vtt', (file) => file.replaceAll('.', ',')),
  },
});

const withCues = that<TranscriptionResult>('with a cue', (evidence) => captionsOf(evidence).cues.length > 0);

export const audioCaptionsEndAfterStart = implied('audio.transcription.captions-end-after-start', {
  says: 'No caption of a transcription ends before it begins.',
  selector: where(transcriptionsIn(['srt', 'vtt']), withCues),
  check: (evidence) =>
    captionsOf(evidence)
      .cues.filter(({ start, end }) => end < start)
      .map(({ line, start, end }) => violation(`line ${line}`, `an end from ${start} s on`, end)),
  mutations: {
    'the other way round in srt': inTranscriptionFormat('srt', exchangedTimes),
    'the other way round in vtt': inTranscriptionFormat('vtt', exchangedTimes),
  },
});

/** An empty body is left out: it does not show whether the audio has speech. */
function hasContent({ written }: TranscriptionResult): boolean {
  return written.trim() !== '';
}

function flawsOf({ flaws }: Captions): Violation[] {
  return flaws.map(({ line, expected, actual }) => violation(`line ${line}`, expected, actual));
}

function exchangedTimes(file: string): string {
  return file.replaceAll(/^(\S+) --> (\S+)$/gm, '$2 --> $1');
}

/**
 * Models may transcribe the same audio in two ways. So a difference counts as a violation only where each
 * format has been requested several times with the same result each time.
 */
export const audioSameWordsInEveryFormat = implied('audio.transcription.same-words-in-every-format', {
  says: 'The same audio is transcribed in the same words in every format.',
  selector: sameAudioTranscripts,
  check: ({ wordings }) => {
    const [first, ...others] = wordings;
    if (first === undefined) return [];
    return others
      .filter(({ words }) => !words.some((one) => first.words.map(bare).includes(bare(one))))
      .map(({ format, words, exchange }) => ({
        at: `words as ${format}`,
        expected: `${JSON.stringify(first.words[0])} as in ${first.format}`,
        actual: words[0] ?? '',
        exchange,
        ...(isSteady(words) && isSteady(first.words) ? {} : { inconclusive: 'model' as const }),
      }));
  },
  mutations: {
    'another text': inTranscriptionFormat('text', () => 'Something else was said.\n'),
    'the last caption of srt is lost': inTranscriptionFormat('srt', lastLost),
    'the last caption of vtt is lost': inTranscriptionFormat('vtt', lastLost),
    'nothing in json': inTranscriptionFormat('json', () => '{"text":""}'),
    'another text in detail': inTranscriptionFormat('verbose_json', (file) =>
      file.replace(/"text":"[^"]*"/, '"text":"Something else"'),
    ),
  },
});

/** Not every script separates its words, and captions may then break anywhere in the text. */
function bare(words: string): string {
  return words.replaceAll(' ', '');
}

function lastLost(file: string): string {
  return file.trimEnd().split('\n\n').slice(0, -1).join('\n\n');
}

const objects = section('2 Transcription objects');

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

export const audioVerboseEndsAfterStart = objects.implied('audio.verbose.ends-after-start', {
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

export const audioVerboseDurationOfTheAudio = objects.implied('audio.verbose.duration-of-the-audio', {
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
  return objects.stated(`audio.verbose.${field}-when-asked`, {
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
