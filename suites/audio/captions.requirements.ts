import { rowOf } from '../rows/rows.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Violation } from '../vocabulary/types.ts';
import { type Captions, readSrt } from './selectors/captions.ts';
import { captionsOf } from './selectors/times.ts';
import {
  inTranscriptionFormat,
  type TranscriptionResult,
  transcriptionsIn,
} from './selectors/transcription-results.ts';

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
