import type { Exchange } from '../../exchange/exchange.ts';
import { inAnswerWhere } from '../../judge/edit/breaks.ts';
import { put, remove } from '../../judge/edit/values.ts';
import { get, list, text } from '../../judge/json.ts';
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

export const wordsOnlyWhenAsked = onlyWhenAsked(
  'word',
  'words',
  'No times of words are told if only those of segments are asked for.',
);

export const segmentsOnlyWhenAsked = onlyWhenAsked(
  'segment',
  'segments',
  'No times of segments are told if only those of words are asked for.',
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

export const duration = requirement({
  id: 'audio.verbose.duration-of-the-audio',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'The duration is the length of the audio in seconds, within half a second or a twentieth.',
  on: only(detailed, (evidence) => lengthOf(evidence) !== null && durationOf(evidence) !== undefined),
  check: (evidence) => {
    const length = lengthOf(evidence) ?? 0;
    const told = durationOf(evidence) ?? 0;
    const near = Math.abs(told - length) <= Math.max(0.5, length / 20);
    return near
      ? []
      : [{ at: '/duration', expected: `about ${length}`, actual: get(evidence.answer, 'duration') }];
  },
  breaks: {
    'in milliseconds': inVerbose(put('/duration', (old) => Number(old) * 1000)),
    'none at all': inVerbose(put('/duration', 0)),
    'twice as long': inVerbose(put('/duration', (old) => Number(old) * 2)),
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
    check: ({ answer }): Complaint[] =>
      Array.isArray(get(answer, field))
        ? []
        : [{ at: `/${field}`, expected: `a list of ${field}`, actual: get(answer, field) }],
    breaks: { 'left out': inVerbose(remove(`/${field}`)), 'null instead': inVerbose(put(`/${field}`, null)) },
  });
}

function onlyWhenAsked(granularity: 'word' | 'segment', field: 'words' | 'segments', says: string) {
  return requirement({
    id: `audio.verbose.${field}-only-when-asked`,
    level: 'MUST',
    basis: 'stated',
    spec: SPEC,
    says,
    on: only(detailed, ({ asked }) => granularities(asked)?.includes(granularity) === false),
    check: ({ answer }): Complaint[] =>
      list(answer, field).length === 0
        ? []
        : [{ at: `/${field}`, expected: 'none', actual: `${list(answer, field).length} ${field}` }],
    breaks: {
      'told unasked': inVerbose(put(`/${field}`, [{ word: 'a', text: 'a', start: 0, end: 0.1 }])),
      'the others under this name': inVerbose((answer) =>
        put(`/${field}`, [...list(answer, 'words'), ...list(answer, 'segments')])(answer),
      ),
    },
  });
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
