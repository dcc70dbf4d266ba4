import { isSteady } from '../chat/streamed-pairs.ts';
import { rowOf } from '../rows/rows.ts';
import { textAt, valueAtPath } from '../vocabulary/json.ts';
import { violation } from '../vocabulary/statements.ts';
import { evidence } from './evidence.ts';
import { sameAudioTranscripts } from './same-audio.ts';
import type { TranscriptionResult } from './transcriptions.ts';

export const audioTranscriptionSrtIsNumbered = rowOf('audio.transcription.srt-is-numbered', {
  evidence: evidence.transcription,
  check: ({ cues, flaws }) => {
    const all = cues();
    // A block with a flaw has no cue, so the numbers of the following blocks would seem wrong.
    if (flaws().length > 0) return [];
    // Some services number the captions from 0.
    const start = all[0]?.label?.trim() === '0' ? 0 : 1;
    return all.flatMap(({ label, line }, i) =>
      label?.trim() === String(i + start)
        ? []
        : [
            violation(
              `line ${label === null ? line : line - 1}`,
              `${i + start}, the number of the block`,
              label,
            ),
          ],
    );
  },
});

/**
 * A model may transcribe the same audio differently each time, so a difference is conclusive only if several requests
 * for each of the two formats had the same result.
 */
export const audioSameWordsInEveryFormat = rowOf('audio.transcription.same-words-in-every-format', {
  evidence: sameAudioTranscripts,
  check: ({ transcripts }) => {
    const [first, ...others] = transcripts;
    if (first === undefined) return [];
    const expectedTexts = first.texts.map(withoutSpaces);
    return others
      .filter(({ texts }) => !texts.some((text) => expectedTexts.includes(withoutSpaces(text))))
      .map(({ format, texts, exchange }) => {
        const expected = `${JSON.stringify(first.texts[0])} as in ${first.format}`;
        const result = violation(`words as ${format}`, expected, texts[0] ?? '', exchange);
        const isDeterministic = isSteady(texts) && isSteady(first.texts);
        return isDeterministic ? result : { ...result, inconclusive: 'model' as const };
      });
  },
});

/** Removes spaces, because not every script separates its words: captions may then break anywhere in the text. */
function withoutSpaces(text: string): string {
  return text.replaceAll(' ', '');
}

const detailedTranscriptions = evidence['detailed transcription'];

export const audioVerboseWordsWhenAsked = rowOf('audio.verbose.words-when-asked', {
  evidence: detailedTranscriptions,
  check: (result) => requireList(result, 'words'),
});

export const audioVerboseSegmentsWhenAsked = rowOf('audio.verbose.segments-when-asked', {
  evidence: detailedTranscriptions,
  check: (result) => requireList(result, 'segments'),
});

function requireList({ answer }: TranscriptionResult, field: 'words' | 'segments') {
  const list = valueAtPath(answer, field);
  const isSilent = !/[\p{L}\p{N}]/u.test(textAt(answer, 'text') ?? '');
  return Array.isArray(list) && (list.length > 0 || isSilent)
    ? []
    : [violation(`/${field}`, isSilent ? `a list of ${field}` : `a non-empty list of ${field}`, list)];
}

/** A duration that is wrong by this factor is in another unit: services do not pad or cut audio that much. */
const UNIT_FACTOR = 20;
/** Models process audio in pieces of this many seconds, and some report the length of a whole piece. */
const PIECE_SECONDS = 30;

export const audioVerboseTimesInSeconds = rowOf('audio.verbose.times-in-seconds', {
  evidence: detailedTranscriptions,
  check: ({ length, times }) => {
    const limit = UNIT_FACTOR * Math.max(length() ?? 0, PIECE_SECONDS);
    return times()
      .filter(({ end }) => end >= limit)
      .map(({ at, end }) => violation(`${at}/end`, `less than ${limit}, in seconds`, end));
  },
});

export const audioVerboseDurationOfTheAudio = rowOf('audio.verbose.duration-of-the-audio', {
  evidence: detailedTranscriptions,
  check: ({ length, duration, answer }) => {
    const [actual, reported] = [length() ?? 0, duration() ?? 0];
    const limit = UNIT_FACTOR * Math.max(actual, PIECE_SECONDS);
    // A service that recognizes no speech may report a duration of 0.
    if (reported === 0 || (reported > actual / UNIT_FACTOR && reported < limit)) return [];
    return [violation('/duration', `about ${actual}`, valueAtPath(answer, 'duration'))];
  },
});
