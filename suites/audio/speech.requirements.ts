import { decodedContent } from '../../exchange/http/content.ts';
import { isCarriedOut } from '../../judge/probe/probe-outcomes.ts';
import { violationsOf } from '../../judge/probe/request-violations.ts';
import { uploadedPart } from '../files/file.ts';
import { choiceOf, rowOf } from '../rows/rows.ts';
import { textAt, valueAtPath } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Call, Violation } from '../vocabulary/types.ts';
import { type OwnSpeech, ownSpeechTranscripts } from './own-speech.ts';
import { requestedFormat, speechResults } from './speech.ts';
import { defaultSpeeds, speedPairs } from './speech-durations.ts';

const ACCEPTED_CONTAINERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['mp3', ['mp3']],
  ['opus', ['ogg-opus', 'webm']],
  ['aac', ['aac', 'mp4']],
  ['flac', ['flac', 'ogg-flac']],
  ['wav', ['wav']],
]);

/** Durations vary between requests; a default speed of 0.75 or 1.33 makes a consistent difference of a third. */
const MAX_DURATION_RATIO = 1.3;
/** Minimum number of distinct words; a model is unlikely to mishear all of them. */
const MIN_PLAIN_WORDS = 6;

export const audioSpeechFormatAsAsked = rowOf('audio.speech.format-as-asked', {
  evidence: speechResults,
  check: ({ asked, audio }) => {
    const format = requestedFormat(asked) ?? '';
    const actual = audio()?.format ?? 'bytes in no known container';
    return ACCEPTED_CONTAINERS.get(format)?.includes(actual) === false
      ? [violation('body', format, actual)]
      : [];
  },
});

export const audioSpeechPcmIsBare = rowOf('audio.speech.pcm-is-bare', {
  evidence: speechResults,
  check: ({ audio, bytes, call: { exchange } }) => {
    const container = audio();
    if (container !== null) return [violation('body', 'samples', container.format)];
    if (bytes.byteLength < 2) return [violation('body', 'samples', `${bytes.byteLength} bytes`)];
    const text = exchange.response === null ? null : (decodedContent(exchange.response)?.text ?? null);
    return text !== null && /^\s*[{[<"]/.test(text) ? [violation('body', 'samples', text.slice(0, 200))] : [];
  },
});

export const audioSpeechFasterIsShorter = rowOf('audio.speech.faster-is-shorter', {
  evidence: speedPairs,
  check: ({ slow, fast }) => {
    if (fast.seconds < slow.seconds) return [];
    const expected = `less than ${slow.seconds} s at speed ${fast.speed}, as at speed ${slow.speed}`;
    return [violation('body', expected, `${fast.seconds} s`)];
  },
});

export const audioSpeechDefaultSpeed = rowOf('audio.speech.default-speed', {
  evidence: defaultSpeeds,
  check: ({ unset, atOne }) => {
    const isApart = (slow: readonly number[], fast: readonly number[]): boolean =>
      Math.min(...slow) > Math.max(...fast) * MAX_DURATION_RATIO;
    if (!isApart(unset, atOne) && !isApart(atOne, unset)) return [];
    return [violation('body', `about ${atOne.join(' or ')} s, as at speed 1`, `${unset.join(' and ')} s`)];
  },
});

export const audioTranscriptionTakesOwnSpeech = rowOf('audio.transcription.takes-own-speech', {
  evidence: ownSpeechTranscripts,
  where: [that('that was answered conclusively', isConclusive)],
  check: ({ transcription }): Violation[] => {
    if (transcription.responseClass === 'accepted') return [];
    const result = violation('status', '2xx', transcription.status);
    return [transcription.responseClass === 'capacity' ? { ...result, inconclusive: 'capacity' } : result];
  },
});

const withPlainInput = that<OwnSpeech>(
  `of at least ${MIN_PLAIN_WORDS} distinct words in Latin script, at a speed from 0.5 to 2, without language or prompt`,
  (evidence) => isPlainSpeech(evidence) && countPlainWords(evidence.input) >= MIN_PLAIN_WORDS,
);
const withText = that<OwnSpeech>(
  'with a text in its response',
  (evidence) => transcribedWordSet(evidence) !== null,
);

export const audioTranscriptionHearsOwnSpeech = rowOf('audio.transcription.hears-own-speech', {
  evidence: where(ownSpeechTranscripts, withPlainInput, withText),
  check: (evidence) => {
    const words = transcribedWordSet(evidence) ?? new Set();
    if ([...wordSet(evidence.input)].some((word) => words.has(word))) return [];
    const expected = `some word of ${JSON.stringify(evidence.input)}`;
    return [violation('/text', expected, textAt(evidence.transcription.responseJson, 'text'))];
  },
});

export const audioTranscriptionOwnSpeech = choiceOf('audio.transcription.own-speech', {
  selector: where(ownSpeechTranscripts, withText),
  taken: (evidence) => {
    const words = transcribedWordSet(evidence) ?? new Set();
    const spoken = [...wordSet(evidence.input)];
    if (spoken.length === 0) return null;
    if (spoken.every((word) => words.has(word))) return 'all';
    return spoken.some((word) => words.has(word)) ? 'some' : 'none';
  },
});

/**
 * Whether a response shows how a target treats audio: accepted, rejected, failed or out of capacity. A rejected key, a
 * 404, a reset and an accepted response with a wrong kind of body do not, nor does a rejection that the fields of the
 * request or the name of the file may explain: services may detect the format by the extension.
 */
function isConclusive({ transcription: call, format }: OwnSpeech): boolean {
  if (call.responseClass === 'accepted') return isCarriedOut(call);
  if (call.responseClass === 'rejected') {
    const name = uploadedPart(call.exchange)?.filename?.toLowerCase();
    return name?.endsWith(`.${format}`) === true && violationsOf(call).length === 0 && !hasHints(call);
  }
  return call.responseClass === 'failed' || call.responseClass === 'capacity';
}

function hasHints({ requestJson: asked }: Call): boolean {
  return ['language', 'prompt'].some((field) => valueAtPath(asked, field) !== undefined);
}

function isPlainSpeech({ speed, transcription }: OwnSpeech): boolean {
  return speed !== null && speed >= 0.5 && speed <= 2 && !hasHints(transcription);
}

/** Counts the distinct words in Latin script: they are separated by spaces and, unlike numerals, have one spelling. */
function countPlainWords(input: string): number {
  return [...wordSet(input)].filter((word) => /^[\p{Script=Latin}']+$/u.test(word)).length;
}

function transcribedWordSet({ transcription }: OwnSpeech): ReadonlySet<string> | null {
  const text = textAt(transcription.responseJson, 'text');
  return text === undefined ? null : wordSet(text);
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? []);
}
