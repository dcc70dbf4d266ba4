import {
  type Alternative,
  answers,
  type ChoiceTable,
  dropFields,
  elementsOf,
  inPlace,
  intercepting,
  objectOf,
  reads,
  refuses,
} from '../deviations/alternatives.ts';
import type { Json, JsonObject } from '../http/json.ts';
import { BinaryResponse } from '../http/response.ts';
import { mediaTypes } from './encode.ts';

const SPEECH = ['createSpeech'];
const TRANSCRIPTION = ['createTranscription'];
const TRANSLATION = ['createTranslation'];
const GRANULARITIES = 'timestamp_granularities[]';

export const choices: ChoiceTable = {
  'audio.language.other-than-code': {
    usual: 'accepted',
    others: {
      refused: refuses(TRANSCRIPTION, ({ body }) => !/^[a-z]{2}$/.test(String(body['language'] ?? 'en'))),
    },
  },
  'audio.speech.media-type': {
    usual: 'audio/mpeg',
    others: {
      'audio/mp3': labelled(SPEECH, mediaTypes.mp3, () => 'audio/mp3'),
      'application/octet-stream': labelled(SPEECH, mediaTypes.mp3, () => 'application/octet-stream'),
      none: labelled(SPEECH, mediaTypes.mp3, () => ''),
    },
  },
  'audio.times.bounds': {
    usual: 'within',
    others: {
      'beyond it': eachTime((time, isLast) => (isLast ? { ...time, end: Number(time['end']) + 1 } : time)),
    },
  },
  'audio.times.order': { usual: 'in order', others: { 'in another order': inPlace } },
  'audio.transcription.media-type': {
    usual: 'text/plain',
    others: {
      'by format': labelled([...TRANSCRIPTION, ...TRANSLATION], 'text/plain', typeOfFormat),
      'application/json': labelled(
        [...TRANSCRIPTION, ...TRANSLATION],
        'text/plain',
        () => 'application/json',
      ),
      none: labelled([...TRANSCRIPTION, ...TRANSLATION], 'text/plain', () => ''),
    },
  },
  'audio.transcription.own-speech': { usual: 'all', others: { some: inPlace } },
  'audio.translation.form': { usual: 'as asked for', others: { 'an object': translatedAsJson() } },
  'audio.translation.verbose': {
    usual: 'details',
    others: { nothing: answers(TRANSLATION, ({ text = '' }) => ({ text })) },
  },
  'audio.verbose.default-times': {
    usual: 'segments',
    others: { words: inPlace, both: inPlace, none: { hides: ['audio.translation.verbose'] } },
  },
  'audio.verbose.duration-type': {
    usual: 'number',
    others: { string: detailed((answer) => ({ ...answer, duration: String(answer['duration']) })) },
  },
  'audio.verbose.language': {
    usual: 'a name',
    others: { 'a code': detailed((answer, asked) => ({ ...answer, language: asked['language'] ?? 'en' })) },
  },
  'audio.verbose.segment-id': {
    usual: 'a number from 0',
    others: {
      'a number from 1': segmentIds((id) => id + 1),
      text: segmentIds((id) => `segment-${id}`),
    },
  },
  'audio.verbose.task': {
    usual: 'transcribe',
    others: { transcription: detailed((answer) => ({ ...answer, task: 'transcription' })) },
  },
  'audio.verbose.unasked-times': {
    usual: 'absent',
    others: {
      null: unaskedTimes(null),
      'an empty list': unaskedTimes([]),
      present: inPlace,
    },
  },
};

/** Changes the label of binary answers with a media type; an empty label removes it. */
function labelled(on: readonly string[], type: string, other: (format: string) => string): Alternative {
  return intercepting(on, {
    handle: async (request, proceed) => {
      const outcome = await proceed(request);
      if (!(outcome instanceof BinaryResponse) || !outcome.type.startsWith(type)) return outcome;
      return new BinaryResponse(other(String(request.body['response_format'])), outcome.bytes, outcome.size);
    },
  });
}

function typeOfFormat(format: string): string {
  const types: Readonly<Record<string, string>> = { srt: 'application/x-subrip', vtt: 'text/vtt' };
  return types[format] ?? 'text/plain';
}

function detailed(change: (answer: JsonObject, asked: JsonObject) => JsonObject): Alternative {
  return answers(TRANSCRIPTION, (answer, { body }) => ('task' in answer ? change(answer, body) : answer));
}

function eachTime(change: (time: JsonObject, isLast: boolean) => JsonObject): Alternative {
  const changed = (found: Json | undefined): Json | undefined =>
    Array.isArray(found) ? found.map((time, i) => change(objectOf(time), i === found.length - 1)) : found;
  return detailed((answer) => withTimes(answer, changed(answer['words']), changed(answer['segments'])));
}

function withTimes(answer: JsonObject, words: Json | undefined, segments: Json | undefined): JsonObject {
  return {
    ...dropFields(answer, ['words', 'segments']),
    ...(words === undefined ? {} : { words }),
    ...(segments === undefined ? {} : { segments }),
  };
}

/** Shows times that were not requested; where none were, which are shown is another choice. */
function unaskedTimes(value: Json): Alternative {
  return detailed((answer, asked) =>
    GRANULARITIES in asked ? { words: value, segments: value, ...answer } : answer,
  );
}

function segmentIds(change: (id: number) => Json): Alternative {
  return detailed((answer) =>
    'segments' in answer
      ? {
          ...answer,
          segments: elementsOf(answer['segments']).map((segment, i) => ({
            ...objectOf(segment),
            id: change(i),
          })),
        }
      : answer,
  );
}

/** Translations of the text formats are objects; those that are objects anyway stay as requested. */
function translatedAsJson(): Alternative {
  return reads(TRANSLATION, (body) =>
    ['text', 'srt', 'vtt'].includes(String(body['response_format']))
      ? { ...body, response_format: 'json' }
      : body,
  );
}
