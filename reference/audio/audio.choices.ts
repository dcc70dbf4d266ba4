import {
  type Alternative,
  answers,
  type ChoiceTable,
  dropFields,
  intercepting,
  objectOf,
} from '../deviations/alternatives.ts';
import type { Json, JsonObject } from '../http/json.ts';
import { BinaryResponse } from '../http/response.ts';
import { mediaTypes } from './encode.ts';

const SPEECH = ['createSpeech'];
const TRANSCRIPTION = ['createTranscription'];
const TRANSLATION = ['createTranslation'];

export const choices: ChoiceTable = {
  'audio.speech.media-type': {
    usual: 'audio/mpeg',
    others: {
      'audio/mp3': relabel(SPEECH, mediaTypes.mp3, () => 'audio/mp3'),
      'application/octet-stream': relabel(SPEECH, mediaTypes.mp3, () => 'application/octet-stream'),
      none: relabel(SPEECH, mediaTypes.mp3, () => ''),
    },
  },
  'audio.times.bounds': {
    usual: 'within',
    others: {
      'beyond it': eachTime((time, isLast) => (isLast ? { ...time, end: Number(time['end']) + 1 } : time)),
    },
  },
  'audio.transcription.media-type': {
    usual: 'text/plain',
    others: {
      'by format': relabel([...TRANSCRIPTION, ...TRANSLATION], 'text/plain', typeOfFormat),
      'application/json': relabel([...TRANSCRIPTION, ...TRANSLATION], 'text/plain', () => 'application/json'),
      none: relabel([...TRANSCRIPTION, ...TRANSLATION], 'text/plain', () => ''),
    },
  },
  'audio.verbose.language': {
    usual: 'a name',
    others: { 'a code': detailed((answer, asked) => ({ ...answer, language: asked['language'] ?? 'en' })) },
  },
};

/** Changes the label of binary responses with a media type; an empty label removes it. */
function relabel(on: readonly string[], type: string, other: (format: string) => string): Alternative {
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
