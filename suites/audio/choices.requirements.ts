import { mediaTypeOf } from '../../exchange/http/content.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { choiceOf } from '../rows/rows.ts';
import { inEveryResponse, removeValue, setValue } from '../vocabulary/changes.ts';
import { outcome } from '../vocabulary/choice-shapes.ts';
import { stateOf, whichOf } from '../vocabulary/choice-values.ts';
import { withJsonResponse } from '../vocabulary/exchanges.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { requests, settled, where } from '../vocabulary/selectors.ts';
import { evidence } from './evidence.ts';
import {
  granularities,
  inDetail,
  reportedDuration,
  startTimesOf,
  TRANSCRIPTION,
  timeSpansOf,
  transcriptionsIn,
} from './transcriptions.ts';

const detailed = evidence['detailed transcription'];

/** Media types that name the requested format. */
const OF_FORMATS = ['text/vtt', 'text/srt', 'application/x-subrip'];

export const audioTranscriptionMediaType = choiceOf('audio.transcription.media-type', {
  selector: transcriptionsIn(['text', 'srt', 'vtt']),
  taken: ({ call }) => {
    const type = mediaTypeOf(call.exchange.response?.headers ?? [])?.essence ?? 'none';
    return OF_FORMATS.includes(type) ? 'by format' : type;
  },
});

export const audioVerboseDefaultTimes = choiceOf('audio.verbose.default-times', {
  selector: where(detailed, ({ asked }) => granularities(asked) === null),
  taken: ({ answer }) => whichOf(['words', 'segments'], (name) => arrayAt(answer, name).length > 0),
  examples: { none: inDetail(removeValue('/segments')) },
});

export const audioVerboseUnaskedTimes = choiceOf('audio.verbose.unasked-times', {
  selector: where(detailed, ({ asked }) => granularities(asked)?.length === 1),
  taken: ({ asked, answer }) => {
    const other = granularities(asked)?.includes('word') ? 'segments' : 'words';
    return stateOf(valueAtPath(answer, other), 'present', 'an empty list');
  },
  examples: {
    null: inDetail(setValue('/segments', null), setValue('/words', null)),
    'an empty list': inDetail(setValue('/segments', []), setValue('/words', [])),
  },
});

export const audioVerboseSegmentId = choiceOf('audio.verbose.segment-id', {
  selector: where(detailed, ({ answer }) => arrayAt(answer, 'segments').length > 0),
  taken: ({ answer }) => {
    const id = valueAtPath(answer, 'segments', 0, 'id');
    if (typeof id === 'number') return id === 0 ? 'a number from 0' : `a number from ${id}`;
    return typeof id === 'string' ? 'text' : 'something else';
  },
  examples: {
    'a number from 1': inDetail(setValue('/segments/0/id', 1)),
    text: inDetail(setValue('/segments/0/id', 'a')),
  },
});

export const audioTimesOrder = choiceOf('audio.times.order', {
  selector: where(transcriptionsIn(['verbose_json', 'srt', 'vtt']), (evidence) =>
    startTimesOf(evidence).some((run) => run.length > 1),
  ),
  taken: (evidence) => {
    const sorted = startTimesOf(evidence).every((run) =>
      run.every((start, i) => start >= (run[i - 1] ?? start)),
    );
    return sorted ? 'in order' : 'in another order';
  },
  examples: { 'in another order': inDetail(setValue('/words/0/start', 100)) },
});

export const audioTimesBounds = choiceOf('audio.times.bounds', {
  selector: where(
    detailed,
    (evidence) => timeSpansOf(evidence.answer).length > 0 && reportedDuration(evidence) !== undefined,
  ),
  taken: (evidence) => {
    const end = reportedDuration(evidence) ?? 0;
    // Times and durations are rounded independently of each other.
    const within = timeSpansOf(evidence.answer).every((time) => time.start >= 0 && time.end <= end + 0.05);
    return within ? 'within' : 'beyond it';
  },
  examples: { 'beyond it': inDetail(setValue('/words/0/end', 1000)) },
});

export const audioLanguageOtherThanCode = choiceOf('audio.language.other-than-code', {
  selector: where(
    requests(TRANSCRIPTION),
    settled,
    ({ asked }) => !/^[a-z]{2}$/.test(textAt(asked, 'language') ?? 'en'),
  ),
  taken: outcome('accepted'),
  examples: {
    refused: inEveryResponse(TRANSCRIPTION, (exchange) =>
      formDataParts(exchange.request)?.some(({ name }) => name === 'language')
        ? withJsonResponse(exchange, 400, {})
        : exchange,
    ),
  },
});
