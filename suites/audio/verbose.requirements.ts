import type { Json } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { inAnswerWhere } from '../../judge/edit/breaks.ts';
import { put, remove } from '../../judge/edit/values.ts';
import { get, text } from '../../judge/json.ts';
import type { Complaint } from '../../judge/requirement.ts';
import { only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { readAudio } from './container/read.ts';
import { granularities, type Heard, heard, TRANSCRIPTION } from './heard.ts';
import { durationOf, timesOf } from './times.ts';

const SPEC = '2 Transcription objects';

const detailed = only(heard(['verbose_json']), ({ answer }) => text(answer, 'text') !== undefined);

export const wordsWhenAsked = whenAsked('word', 'words', 'Words have times if word times are asked for.');

export const segmentsWhenAsked = whenAsked(
  'segment',
  'segments',
  'Segments have times if segment times are asked for.',
);

export const ends = requirement({
  id: 'audio.verbose.ends-after-start',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'No word and no segment ends before it begins.',
  on: only(detailed, ({ answer }) => timesOf(answer).length > 0),
  check: ({ answer }) =>
    timesOf(answer)
      .filter(({ start, end }) => end < start)
      .map(({ at, start, end }) => ({ at: `${at}/end`, expected: `${start} or later`, actual: end })),
  breaks: {
    'a word that ends at once': inVerbose(put('/words/0/end', -1)),
    'a segment that ends before': inVerbose(put('/segments/0/start', 100_000)),
  },
});

/** So many times too long or too short is another unit: no service pads or cuts that much. */
const UNIT = 20;
/** Models hear pieces of half a minute, and some tell how long these are. */
const PIECE = 30;

export const duration = requirement({
  id: 'audio.verbose.duration-of-the-audio',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'The duration is told in seconds: it is less than twenty times too long or too short.',
  on: only(detailed, (evidence) => lengthOf(evidence) !== null && durationOf(evidence) !== undefined),
  check: (evidence) => {
    const length = lengthOf(evidence) ?? 0;
    const told = durationOf(evidence) ?? 0;
    // Where nothing is heard, it may be that nothing is counted.
    const isLikely = told === 0 || (told > length / UNIT && told < UNIT * Math.max(length, PIECE));
    return isLikely
      ? []
      : [{ at: '/duration', expected: `about ${length}`, actual: get(evidence.answer, 'duration') }];
  },
  breaks: {
    'in milliseconds': inVerbose(put('/duration', (old) => Number(old) * 1000)),
    'in minutes': inVerbose(put('/duration', (old) => Number(old) / 60)),
  },
});

function whenAsked(granularity: 'word' | 'segment', field: 'words' | 'segments', says: string) {
  return requirement({
    id: `audio.verbose.${field}-when-asked`,
    level: 'MUST',
    basis: 'stated',
    spec: SPEC,
    says,
    on: only(detailed, ({ asked }) => granularities(asked)?.includes(granularity) === true),
    check: ({ answer }): Complaint[] => {
      const told = get(answer, field);
      // Of a text without a word there is nothing to tell.
      const isTold = Array.isArray(told) && (told.length > 0 || !hasWords(answer));
      return isTold ? [] : [{ at: `/${field}`, expected: `a list of ${field}`, actual: told }];
    },
    breaks: {
      'left out': inVerbose(remove(`/${field}`)),
      'null instead': inVerbose(put(`/${field}`, null)),
      'always empty': inVerbose(put(`/${field}`, [])),
    },
  });
}

function hasWords(answer: Json | undefined): boolean {
  return /[\p{L}\p{N}]/u.test(text(answer, 'text') ?? '');
}

/** How long the audio is that was sent; null where its container does not tell. */
function lengthOf({ file }: Heard): number | null {
  const bytes = file?.body.bytes ?? null;
  return bytes === null ? null : (readAudio(bytes)?.seconds ?? null);
}

function inVerbose(edit: Parameters<typeof inAnswerWhere>[2]) {
  const isVerbose = (exchange: Exchange): boolean =>
    get(exchange.response?.body.json?.value, 'task') !== undefined;
  return inAnswerWhere(TRANSCRIPTION, isVerbose, edit);
}
