import type { Complaint } from '../../judge/requirement.ts';
import { only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { type Captions, readSrt } from './captions.ts';
import { type Heard, heard, inFormat } from './heard.ts';
import { captionsOf } from './times.ts';

const SPEC = '2 Audio';
const OBJECT = '{"text":"Nobody asked for an object."}';

export const plain = requirement({
  id: 'audio.transcription.text-is-plain',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'A transcription as text is no JSON object.',
  on: only(heard(['text']), hasContent),
  check: ({ written, answer }) =>
    typeof answer === 'object' && answer !== null
      ? [{ at: 'body', expected: 'text', actual: written.slice(0, 200) }]
      : [],
  breaks: { 'an object': inFormat('text', () => OBJECT), 'a list': inFormat('text', () => '["Hello"]') },
});

export const subRip = requirement({
  id: 'audio.transcription.srt-is-subrip',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'A transcription as srt is SubRip: blocks of times and text.',
  on: only(heard(['srt']), hasContent),
  check: (evidence) => flawsOf(captionsOf(evidence)),
  breaks: {
    'an object': inFormat('srt', () => OBJECT),
    'nothing but text': inFormat('srt', (file) => file.replaceAll(/^.*-->.*$/gm, '')),
    'points instead of commas': inFormat('srt', (file) => file.replaceAll(',', '.')),
    WebVTT: inFormat('srt', (file) => `WEBVTT\n\n${file}`),
  },
});

export const numbered = requirement({
  id: 'audio.transcription.srt-is-numbered',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'The blocks of a transcription as srt are numbered one after the other.',
  on: only(heard(['srt']), ({ written }) => readSrt(written).cues.length > 0),
  check: ({ written }) => {
    const { cues } = readSrt(written);
    // Some count from 0.
    const start = cues[0]?.label?.trim() === '0' ? 0 : 1;
    return cues.flatMap(({ label, line }, i) =>
      label?.trim() === String(i + start)
        ? []
        : [{ at: `line ${line - 1}`, expected: String(i + start), actual: label }],
    );
  },
  breaks: {
    'one number for all': inFormat('srt', (file) => file.replaceAll(/^\d+$/gm, '7')),
    'no numbers': inFormat('srt', (file) => file.replaceAll(/^\d+$\n/gm, '')),
  },
});

export const webVtt = requirement({
  id: 'audio.transcription.vtt-is-webvtt',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'A transcription as vtt is WebVTT: its name, then times and text.',
  on: only(heard(['vtt']), hasContent),
  check: (evidence) => flawsOf(captionsOf(evidence)),
  breaks: {
    'an object': inFormat('vtt', () => OBJECT),
    'without its name': inFormat('vtt', (file) => file.replace(/^WEBVTT\s*/, '')),
    'commas instead of points': inFormat('vtt', (file) => file.replaceAll('.', ',')),
  },
});

export const ends = requirement({
  id: 'audio.transcription.captions-end-after-start',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'No caption of a transcription ends before it begins.',
  on: only(heard(['srt', 'vtt']), (evidence) => captionsOf(evidence).cues.length > 0),
  check: (evidence) =>
    captionsOf(evidence)
      .cues.filter(({ start, end }) => end < start)
      .map(({ line, start, end }) => ({
        at: `line ${line}`,
        expected: `an end from ${start} s on`,
        actual: end,
      })),
  breaks: {
    'the other way round in srt': inFormat('srt', turned),
    'the other way round in vtt': inFormat('vtt', turned),
  },
});

/** Of an empty answer nobody can tell whether nothing was said. */
function hasContent({ written }: Heard): boolean {
  return written.trim() !== '';
}

function flawsOf({ flaws }: Captions): Complaint[] {
  return flaws.map(({ line, expected, actual }) => ({ at: `line ${line}`, expected, actual }));
}

function turned(file: string): string {
  return file.replaceAll(/^(\S+) --> (\S+)$/gm, '$2 --> $1');
}
