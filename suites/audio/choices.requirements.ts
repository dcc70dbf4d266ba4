import { mediaType } from '../../exchange/content.ts';
import { form } from '../../exchange/form.ts';
import { everywhere, header, inAnswerWhere } from '../../judge/edit/breaks.ts';
import { answering } from '../../judge/edit/exchanges.ts';
import { put, remove } from '../../judge/edit/values.ts';
import { get, list, text } from '../../judge/json.ts';
import { only, requests } from '../../judge/selectors/answers.ts';
import { choice } from '../../judge/write.ts';
import { allHeard, granularities, heard, TRANSCRIPTION, TRANSLATION } from './heard.ts';
import { askedFormat, SPEECH, spoken } from './spoken.ts';
import { durationOf, startsOf, timesOf } from './times.ts';

const SPEC = '2 Audio';
const OBJECT = '2 Transcription objects';

const detailed = only(heard(['verbose_json']), ({ answer }) => get(answer, 'text') !== undefined);

/** Where an answer tells times in detail. */
const inDetail = (edit: Parameters<typeof inAnswerWhere>[2]) =>
  inAnswerWhere(TRANSCRIPTION, ({ response }) => get(response?.body.json?.value, 'task') !== undefined, edit);

export const mediaOfSpeech = choice({
  id: 'audio.speech.media-type',
  spec: SPEC,
  says: 'Which media type mp3 is labelled with.',
  alternatives: ['audio/mpeg', 'audio/mp3', 'application/octet-stream', 'none'],
  on: only(spoken(), ({ asked }) => (askedFormat(asked) ?? 'mp3') === 'mp3'),
  taken: ({ call }) => mediaType(call.exchange.response?.headers ?? [])?.essence ?? 'none',
  examples: {
    'audio/mp3': header(SPEECH, 'content-type', 'audio/mp3'),
    none: header(SPEECH, 'content-type', null),
  },
});

export const opus = choice({
  id: 'audio.speech.opus-container',
  spec: SPEC,
  says: 'Which container opus comes in.',
  alternatives: ['ogg-opus', 'webm'],
  on: only(spoken(), ({ asked, audio }) => askedFormat(asked) === 'opus' && audio() !== null),
  taken: ({ audio }) => audio()?.format ?? null,
});

export const aac = choice({
  id: 'audio.speech.aac-container',
  spec: SPEC,
  says: 'Which container aac comes in.',
  alternatives: ['aac', 'mp4'],
  on: only(spoken(), ({ asked, audio }) => askedFormat(asked) === 'aac' && audio() !== null),
  taken: ({ audio }) => audio()?.format ?? null,
});

export const mediaOfText = choice({
  id: 'audio.transcription.media-type',
  spec: SPEC,
  says: 'Which media type transcriptions as text, srt and vtt are labelled with.',
  alternatives: ['text/plain', 'by format', 'application/json', 'none'],
  on: heard(['text', 'srt', 'vtt']),
  taken: ({ call }) => {
    const type = mediaType(call.exchange.response?.headers ?? [])?.essence ?? 'none';
    return /^(text\/vtt|application\/x-subrip|text\/srt)$/.test(type) ? 'by format' : type;
  },
  examples: { none: header(TRANSCRIPTION, 'content-type', null) },
});

export const task = choice({
  id: 'audio.verbose.task',
  spec: OBJECT,
  says: 'What the task of a detailed transcription is called.',
  alternatives: ['transcribe', 'transcription'],
  on: detailed,
  taken: ({ answer }) => text(answer, 'task') ?? null,
  examples: { transcription: inDetail(put('/task', 'transcription')) },
});

export const language = choice({
  id: 'audio.verbose.language',
  spec: OBJECT,
  says: 'How a detailed transcription names its language.',
  alternatives: ['a name', 'a code'],
  on: detailed,
  taken: ({ answer }) => {
    const told = text(answer, 'language');
    if (told === undefined || told === '') return null;
    return /^[a-z]{2}(-\w+)?$/i.test(told) ? 'a code' : 'a name';
  },
  examples: { 'a code': inDetail(put('/language', 'en')) },
});

export const durationType = choice({
  id: 'audio.verbose.duration-type',
  spec: OBJECT,
  says: 'Whether the duration is a number, as samples show it, or a string, as a table calls it.',
  alternatives: ['number', 'string'],
  on: detailed,
  taken: ({ answer }) => {
    const told = get(answer, 'duration');
    return told === undefined || told === null ? null : typeof told;
  },
  examples: { string: inDetail(put('/duration', String)) },
});

export const defaultTimes = choice({
  id: 'audio.verbose.default-times',
  spec: SPEC,
  says: 'Which times a detailed transcription tells if none are asked for.',
  alternatives: ['segments', 'words', 'both', 'none'],
  on: only(detailed, ({ asked }) => granularities(asked) === null),
  taken: ({ answer }) => {
    const [words, segments] = [list(answer, 'words').length > 0, list(answer, 'segments').length > 0];
    if (words) return segments ? 'both' : 'words';
    return segments ? 'segments' : 'none';
  },
  examples: { none: inDetail(remove('/segments')) },
});

export const unaskedTimes = choice({
  id: 'audio.verbose.unasked-times',
  spec: SPEC,
  says: 'How times read that were not asked for.',
  places: ['transcription.verbose:words', 'transcription.verbose:segments'],
  alternatives: ['absent', 'null', 'an empty list', 'told too'],
  on: only(detailed, ({ asked }) => granularities(asked)?.length === 1),
  taken: ({ asked, answer }) => {
    const told = get(answer, granularities(asked)?.includes('word') ? 'segments' : 'words');
    if (told === undefined) return 'absent';
    if (told === null) return 'null';
    return list(told).length === 0 ? 'an empty list' : 'told too';
  },
  examples: {
    null: inDetail((answer) => put('/words', null)(put('/segments', null)(answer))),
    'an empty list': inDetail((answer) => put('/words', [])(put('/segments', [])(answer))),
  },
});

export const segmentId = choice({
  id: 'audio.verbose.segment-id',
  spec: OBJECT,
  says: 'What the id of a segment is.',
  alternatives: ['a number from 0', 'a number from 1', 'text'],
  on: only(detailed, ({ answer }) => list(answer, 'segments').length > 0),
  taken: ({ answer }) => {
    const id = get(answer, 'segments', 0, 'id');
    if (typeof id === 'number') return id === 0 ? 'a number from 0' : `a number from ${id}`;
    return typeof id === 'string' ? 'text' : 'something else';
  },
  examples: {
    'a number from 1': inDetail(put('/segments/0/id', 1)),
    text: inDetail(put('/segments/0/id', 'a')),
  },
});

export const order = choice({
  id: 'audio.times.order',
  spec: OBJECT,
  says: 'Whether words, segments and captions come in the order in which they begin.',
  alternatives: ['in order', 'in another order'],
  on: only(heard(['verbose_json', 'srt', 'vtt']), (evidence) =>
    startsOf(evidence).some((run) => run.length > 1),
  ),
  taken: (evidence) => {
    const sorted = startsOf(evidence).every((run) => run.every((start, i) => start >= (run[i - 1] ?? start)));
    return sorted ? 'in order' : 'in another order';
  },
  examples: { 'in another order': inDetail(put('/words/0/start', 100)) },
});

export const bounds = choice({
  id: 'audio.times.bounds',
  spec: OBJECT,
  says: 'Whether words and segments lie within the duration.',
  alternatives: ['within', 'beyond it'],
  on: only(detailed, (evidence) => timesOf(evidence.answer).length > 0 && durationOf(evidence) !== undefined),
  taken: (evidence) => {
    const end = durationOf(evidence) ?? 0;
    // Times and durations are rounded, each in its own way.
    const within = timesOf(evidence.answer).every((time) => time.start >= 0 && time.end <= end + 0.05);
    return within ? 'within' : 'beyond it';
  },
  examples: { 'beyond it': inDetail(put('/words/0/end', 1000)) },
});

export const unknownLanguage = choice({
  id: 'audio.language.other-than-code',
  spec: SPEC,
  says: 'What becomes of a language that is no ISO 639-1 code.',
  alternatives: ['accepted', 'refused'],
  on: only(
    requests(TRANSCRIPTION),
    ({ asked, call }) =>
      !/^[a-z]{2}$/.test(text(asked, 'language') ?? 'en') &&
      (call.outcome === 'accepted' || call.outcome === 'rejected'),
  ),
  taken: ({ call }) => (call.outcome === 'accepted' ? 'accepted' : 'refused'),
  examples: {
    refused: everywhere(TRANSCRIPTION, (exchange) =>
      form(exchange.request)?.some(({ name }) => name === 'language')
        ? answering(exchange, 400, {})
        : exchange,
    ),
  },
});

export const translationForm = choice({
  id: 'audio.translation.form',
  spec: SPEC,
  says: 'Whether a translation comes in the format that is asked for, or always as an object with its text.',
  alternatives: ['as asked for', 'an object'],
  on: only(allHeard(TRANSLATION), ({ format }) => format === 'text' || format === 'srt' || format === 'vtt'),
  taken: ({ answer }) => (typeof answer === 'object' && answer !== null ? 'an object' : 'as asked for'),
  examples: {
    'an object': everywhere(TRANSLATION, (exchange) => answering(exchange, 200, { text: 'Hello.' })),
  },
});

export const translationDetail = choice({
  id: 'audio.translation.verbose',
  spec: SPEC,
  says: 'What a translation as verbose_json has beside its text.',
  alternatives: ['nothing', 'details'],
  on: only(
    allHeard(TRANSLATION),
    ({ format, answer }) => format === 'verbose_json' && text(answer, 'text') !== undefined,
  ),
  taken: ({ answer }) => (get(answer, 'duration') === undefined ? 'nothing' : 'details'),
  examples: { nothing: everywhere(TRANSLATION, (exchange) => answering(exchange, 200, { text: 'Hello.' })) },
});
