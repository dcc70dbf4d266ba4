import type { FormDataPart } from '../../exchange/http/body.ts';
import { decodedContent } from '../../exchange/http/content.ts';
import { uploadedPart } from '../files/file.ts';
import { bodyDigest, follow, LruMap } from '../vocabulary/collecting.ts';
import { arrayAt, isObject, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { stateless, that, where } from '../vocabulary/selectors.ts';
import type { Call, Evidence, Json, Selector } from '../vocabulary/types.ts';
import { readAudio } from './container.ts';

export interface Cue {
  /** Line of the file with the times, counted from 1. */
  readonly line: number;
  /** The line above the times; null without one. */
  readonly label: string | null;
  /** Seconds from the start of the audio. */
  readonly start: number;
  readonly end: number;
  /** Its lines, joined by line feeds, with the markup of the format. */
  readonly text: string;
}

/** A line that violates the format at its place. */
export interface Flaw {
  readonly line: number;
  readonly expected: string;
  readonly actual: string;
}

/** A parsed subtitle file. A block with a flaw has no cue. */
export interface Captions {
  readonly cues: readonly Cue[];
  readonly flaws: readonly Flaw[];
}

/** A line of the file, counted from 1, without trailing white space. */
interface Line {
  readonly n: number;
  readonly text: string;
}

/** SubRip: a comma precedes the milliseconds. Both patterns have groups for hours, minutes, seconds and milliseconds. */
const SRT_TIMES =
  /^(\d{2,}):([0-5]\d):([0-5]\d),(\d{3})[ \t]+-->[ \t]+(\d{2,}):([0-5]\d):([0-5]\d),(\d{3})(?:\s.*)?$/;
/** WebVTT: the hours are optional, and a point precedes the milliseconds. */
const VTT_TIMES =
  /^(?:(\d{2,}):)?([0-5]\d):([0-5]\d)\.(\d{3})[ \t]+-->[ \t]+(?:(\d{2,}):)?([0-5]\d):([0-5]\d)\.(\d{3})(?:[ \t].*)?$/;

/** Reads SubRip: blocks of a number, times and text. */
export function readSrt(file: string): Captions {
  return read(blocksOf(linesOf(file)), SRT_TIMES, 'HH:MM:SS,mmm --> HH:MM:SS,mmm');
}

/**
 * Reads WebVTT: its header, then blocks of times and text, each with an optional label above; blocks without
 * times are notes or styles and have no text.
 */
export function readVtt(file: string): Captions {
  const lines = linesOf(file);
  const [first] = lines;
  const isNamed = first !== undefined && /^WEBVTT(?:[ \t].*)?$/.test(first.text);
  const flaw = { line: 1, expected: 'WEBVTT', actual: first?.text ?? '' };
  const blocks = blocksOf(lines).filter((block) => timesIn(block) !== -1);
  const { cues, flaws } = read(blocks, VTT_TIMES, '[HH:]MM:SS.mmm --> [HH:]MM:SS.mmm');
  return { cues, flaws: isNamed ? flaws : [flaw, ...flaws] };
}

function read(blocks: readonly (readonly Line[])[], times: RegExp, form: string): Captions {
  const cues: Cue[] = [];
  const flaws: Flaw[] = [];
  for (const block of blocks) {
    const at = timesIn(block);
    const line = block[Math.max(0, at)];
    const found = line === undefined ? null : times.exec(line.text);
    if (line === undefined) continue;
    if (found === null) flaws.push({ line: line.n, expected: form, actual: line.text });
    else cues.push(cueOf(found, line.n, block, Math.max(0, at)));
  }
  return { cues, flaws };
}

/** Index of the line with the times, which may be the first or second of a block; -1 if neither has any. */
function timesIn(block: readonly Line[]): number {
  return block.slice(0, 2).findIndex(({ text }) => text.includes('-->'));
}

function cueOf(found: RegExpExecArray, line: number, block: readonly Line[], at: number): Cue {
  const [, ...parts] = found.map((part) => Number(part ?? 0));
  const text = block.slice(at + 1).map((one) => one.text);
  const label = at === 0 ? null : (block[0]?.text ?? null);
  return { line, label, start: clock(parts.slice(0, 4)), end: clock(parts.slice(4)), text: text.join('\n') };
}

function clock([hours = 0, minutes = 0, seconds = 0, thousandths = 0]: readonly number[]): number {
  return hours * 3600 + minutes * 60 + seconds + thousandths / 1000;
}

/** The lines of a file with their numbers, from 1. */
function linesOf(file: string): readonly Line[] {
  return file
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .map((text, i) => ({ n: i + 1, text: text.trimEnd() }));
}

/** Blocks of consecutive lines that are separated by empty lines. */
function blocksOf(lines: readonly Line[]): readonly (readonly Line[])[] {
  const blocks: Line[][] = [[]];
  for (const line of lines) {
    if (line.text === '') blocks.push([]);
    else blocks.at(-1)?.push(line);
  }
  return blocks.filter((block) => block.length > 0);
}

/** Operations of the specification that receive audio (part 2, "Audio"). */
export const TRANSCRIPTION = 'createTranscription';
export const TRANSLATION = 'createTranslation';

/** A complete 2xx response to a request with an audio file. */
export interface TranscriptionResult extends Evidence {
  readonly call: Call;
  readonly asked: Json | undefined;
  /** The requested format; default: `json`. */
  readonly format: string;
  /** The uploaded file; null if the form cannot be parsed. */
  readonly file: FormDataPart | null;
  readonly written: string;
  /** The response body as JSON; undefined for other formats. */
  readonly answer: Json | undefined;
  /** Captions of a response as srt or vtt, and the lines that violate the format. */
  readonly cues: () => readonly (Cue & { readonly at: string })[];
  readonly flaws: () => readonly (Flaw & { readonly at: string })[];
  /** The requested granularities, `word` or `segment`. */
  readonly granularities: () => readonly Json[] | undefined;
  /** Words or segments, if the request asks only for the other kind. */
  readonly unasked: () => Json | undefined;
  /** Every start and end of words and segments, in seconds, with its JSON pointer. */
  readonly times: () => readonly { readonly at: string; readonly start: number; readonly end: number }[];
  /** The duration in the response in seconds, as a number or as a string of digits. */
  readonly duration: () => number | undefined;
  /** The duration in seconds of the audio that was sent; undefined if its container does not state it. */
  readonly length: () => number | undefined;
}

/** Responses of transcriptions in one of these formats. */
export function transcriptionsIn(formats: readonly string[]): Selector<TranscriptionResult> {
  return where(
    allTranscriptions(TRANSCRIPTION),
    that(`whose request has response_format ${formats.join(' or ')}`, ({ format }) =>
      formats.includes(format),
    ),
  );
}

/** Responses of one operation in any format. */
export function allTranscriptions(operation: string): Selector<TranscriptionResult> {
  return stateless<TranscriptionResult>(
    'heard',
    operation,
    { needs: `a whole answer 2xx of ${operation} with text` },
    (call) => {
      const { response } = call.exchange;
      if (call.responseClass !== 'accepted' || response === null || !call.complete) return [];
      const written = decodedContent(response)?.text ?? null;
      if (written === null) return [];
      const { requestJson: asked, responseJson: answer, exchange } = call;
      const file = uploadedPart(exchange);
      const format = textAt(asked, 'response_format') ?? 'json';
      const captions = () => (format === 'srt' ? readSrt(written) : readVtt(written));
      const common = { exchanges: [exchange], call, asked, format, file, written, answer };
      return [
        {
          ...common,
          cues: () => captions().cues.map((cue) => ({ ...cue, at: `line ${cue.line}` })),
          flaws: () => captions().flaws.map((flaw) => ({ ...flaw, at: `line ${flaw.line}` })),
          granularities: () => granularitiesOf(asked),
          unasked: () => valueAtPath(answer, granularitiesOf(asked)?.includes('word') ? 'segments' : 'words'),
          times: () => timesOf(answer),
          duration: () => durationOf(answer),
          length: () => readAudio(file?.body.bytes ?? new Uint8Array())?.seconds ?? undefined,
        },
      ];
    },
  );
}

function granularitiesOf(asked: Json | undefined): readonly Json[] | undefined {
  const given = valueAtPath(asked, 'timestamp_granularities[]') ?? undefined;
  return given === undefined || Array.isArray(given) ? given : [given];
}

/** The words of a response, separated by single spaces; null if it cannot be read in its format. */
function transcribedWords({
  format,
  written,
  answer,
}: Pick<TranscriptionResult, 'format' | 'written' | 'answer'>): string | null {
  const text = textIn(format, written, answer);
  return text?.split(/\s+/).filter(Boolean).join(' ') ?? null;
}

function textIn(format: string, written: string, answer: Json | undefined): string | null {
  switch (format) {
    case 'text':
      return written;
    case 'srt':
      return joinCues(readSrt(written).cues);
    case 'vtt':
      return unmarked(joinCues(readVtt(written).cues));
    default:
      return textAt(answer, 'text') ?? null;
  }
}

/** The text of WebVTT cues without its markup tags and character references. */
function unmarked(cues: string): string {
  return cues
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(amp|lt|gt|nbsp|lrm|rlm);/g, (_, name: string) => ESCAPED[name] ?? '');
}

const ESCAPED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', nbsp: ' ' };

/** The texts of captions sorted by start time, because captions may be written in any order. */
function joinCues(cues: readonly Pick<Cue, 'start' | 'text'>[]): string {
  return cues
    .toSorted((a, b) => a.start - b.start)
    .map((cue) => cue.text)
    .join(' ');
}

function timesOf(answer: Json | undefined): { at: string; start: number; end: number }[] {
  return ['words', 'segments'].flatMap((field) =>
    arrayAt(answer, field).flatMap((one, i) => {
      const [start, end] = [numberAt(one, 'start'), numberAt(one, 'end')];
      return start === undefined || end === undefined ? [] : [{ at: `/${field}/${i}`, start, end }];
    }),
  );
}

function durationOf(answer: Json | undefined): number | undefined {
  const reported = valueAtPath(answer, 'duration');
  const value = typeof reported === 'string' && reported.trim() !== '' ? Number(reported) : reported;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The texts transcribed in one format, one for each request. */
export interface FormatTranscript {
  readonly format: string;
  readonly words: readonly string[];
  /** Id of the last exchange with this format. */
  readonly exchange: string;
}

/** Transcriptions of the same audio by requests that differ only in their format; at least two formats. */
export interface SameAudioTranscripts extends Evidence {
  readonly wordings: readonly FormatTranscript[];
}

/** Memory limits: transcriptions of the same audio, and distinct files; each is kept with all its bytes. */
const KEPT = 16;
const FILES = 20;

/** Transcriptions of the same audio in several formats. The evidence is complete at the end of the trace. */
export const sameAudioTranscripts: Selector<SameAudioTranscripts> = follow(
  [TRANSCRIPTION],
  () => {
    const all = allTranscriptions(TRANSCRIPTION).collect();
    const groups = new LruMap<TranscriptionResult[]>(FILES);
    return {
      call: (call: Call) => {
        for (const one of all.call(call)) {
          if (one.file === null) continue;
          const group = groups.at(keyOf(one, one.file.body.sha256), () => []);
          if (group.length < KEPT) group.push(one);
        }
        return [];
      },
      finish: () => [...groups.values()].flatMap(comparisonOf),
    };
  },
  'transcriptions of the same audio in two formats',
);

/** The texts of the same audio, if at least two formats have one and not all of them are silent. */
function comparisonOf(transcriptions: readonly TranscriptionResult[]): readonly SameAudioTranscripts[] {
  const wordings = wordingsOf(transcriptions);
  const isSilent = wordings.every(({ words }) => words.every((one) => one === ''));
  if (wordings.length < 2 || isSilent) return [];
  return [{ wordings, exchanges: transcriptions.flatMap((one) => one.exchanges) }];
}

/** The texts by format; results that cannot be read in their format are left out. */
function wordingsOf(transcriptions: readonly TranscriptionResult[]): readonly FormatTranscript[] {
  const found = new Map<string, { words: string[]; exchange: string }>();
  for (const one of transcriptions) {
    const words = transcribedWords(one);
    if (words === null) continue;
    const known = found.get(one.format) ?? { words: [], exchange: '' };
    known.words.push(words);
    found.set(one.format, { ...known, exchange: one.call.exchange.id });
  }
  return [...found].map(([format, known]) => ({ format, ...known }));
}

/** Identifies requests with the same file and the same fields, in any order, apart from the format and its granularities. */
function keyOf({ asked }: TranscriptionResult, digest: string): string {
  const { response_format: _, 'timestamp_granularities[]': __, ...rest } = isObject(asked) ? asked : {};
  return bodyDigest([digest, rest]);
}
