import { tokenId, tokenize } from '../model/tokens.ts';

/** Assumed rate of speech in recordings that this service did not make. */
const WORDS_PER_SECOND = 2;
const WORDS_PER_SEGMENT = 8;
const MAX_STOCK_WORDS = 10_000;

const STOCK_WORDS =
  'This is a recording that the stand-in model has listened to from its beginning to its end'.split(' ');

/** `start` and `end` are in seconds. */
interface Word {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/** All times are in seconds. */
export interface Transcript {
  readonly text: string;
  readonly duration: number;
  readonly words: readonly Word[];
  readonly segments: readonly { readonly text: string; readonly start: number; readonly end: number }[];
}

/** Spreads the words of the known text, or stock words without one, evenly over `duration` seconds. */
export function transcribe(duration: number, knownText: string | undefined): Transcript {
  const spokenWords = knownText?.split(/\s+/).filter((word) => word !== '') ?? makeStockWords(duration);
  const secondsPerWord = duration / Math.max(1, spokenWords.length);
  const words = spokenWords.map((word, n) => ({
    word,
    start: roundToMilliseconds(n * secondsPerWord),
    end: roundToMilliseconds((n + 1) * secondsPerWord),
  }));
  const segments: { text: string; start: number; end: number }[] = [];
  for (let from = 0; from < words.length; from += WORDS_PER_SEGMENT) {
    const part = words.slice(from, from + WORDS_PER_SEGMENT);
    const text = part.map(({ word }) => ` ${word}`).join('');
    segments.push({ text, start: part[0]?.start ?? 0, end: part.at(-1)?.end ?? duration });
  }
  return { text: spokenWords.join(' '), duration, words, segments };
}

function makeStockWords(duration: number): string[] {
  const count = Math.min(MAX_STOCK_WORDS, Math.max(1, Math.round(duration * WORDS_PER_SECOND)));
  return Array.from({ length: count }, (_, n) => STOCK_WORDS[n % STOCK_WORDS.length] ?? '');
}

export function roundToMilliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

export function toVerboseTranscript(
  { text, duration, words, segments }: Transcript,
  labels: { readonly task: string; readonly language: string; readonly temperature: number },
  granularities: readonly string[],
) {
  const { task, language, temperature } = labels;
  const shown = segments.map((segment, id) => ({
    id,
    seek: Math.floor(segment.start * 100),
    start: segment.start,
    end: segment.end,
    text: segment.text,
    tokens: tokenize(segment.text).map(tokenId),
    temperature,
    avg_logprob: -0.25,
    compression_ratio: 1.25,
    no_speech_prob: 0.01,
  }));
  return {
    task,
    language,
    duration,
    text,
    ...(granularities.includes('word') ? { words } : {}),
    ...(granularities.includes('segment') ? { segments: shown } : {}),
  };
}

export function formatSubRip({ segments }: Transcript): string {
  return segments
    .map(
      ({ text, start, end }, n) =>
        `${n + 1}\n${formatTimestamp(start, ',')} --> ${formatTimestamp(end, ',')}\n${text.trim()}\n\n`,
    )
    .join('');
}

export function formatWebVtt({ segments }: Transcript): string {
  const cues = segments.map(
    ({ text, start, end }) =>
      `${formatTimestamp(start, '.')} --> ${formatTimestamp(end, '.')}\n${escapeMarkup(text.trim())}\n\n`,
  );
  return `WEBVTT\n\n${cues.join('')}`;
}

function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function formatTimestamp(seconds: number, point: string): string {
  const milliseconds = Math.round(seconds * 1000);
  const part = (unit: number, modulus: number, digits = 2) =>
    String(Math.floor(milliseconds / unit) % modulus).padStart(digits, '0');
  return `${part(3_600_000, Number.POSITIVE_INFINITY)}:${part(60_000, 60)}:${part(1000, 60)}${point}${part(1, 1000, 3)}`;
}
