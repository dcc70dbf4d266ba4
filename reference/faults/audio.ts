import { crashOnValid, rejectValid, replaceBody, setInResponse } from '../deviations/changes.ts';
import type { Fault, FaultHooks } from '../deviations/hooks.ts';
import { BinaryResponse } from '../http/response.ts';

const listen = ['createTranscription'];
const speak = ['createSpeech'];

export const faults: readonly Fault[] = [
  {
    id: 'audio-captions-quoted',
    says: 'transcriptions in text formats are JSON strings, in quotation marks and with escapes',
    filed: 'Nyralei/whisperx-api-server#4',
    requirement: 'audio.transcription.vtt-is-webvtt',
    on: listen,
    does: quoted(),
  },
  {
    id: 'audio-srt-refused',
    says: 'rejects the response_format srt',
    filed: 'vllm-project/vllm#46680',
    requirement: 'createTranscription:body.response_format#enum.accepted',
    on: listen,
    does: rejectValid('response_format', (format) => format === 'srt'),
  },
  {
    id: 'audio-verbose-crashes',
    says: 'answers 500 if verbose_json is requested without timestamp_granularities',
    filed: 'speaches-ai/speaches#58',
    requirement: 'createTranscription:body.response_format#enum.accepted',
    on: listen,
    does: {
      handle: (request, proceed, ask) =>
        'timestamp_granularities[]' in request.body || 'timestamp_granularities' in request.body
          ? proceed(request)
          : crashOnValid('response_format', (format) => format === 'verbose_json').handle?.(
              request,
              proceed,
              ask,
            ),
    },
  },
  {
    id: 'audio-segments-empty',
    says: 'segments of transcriptions are always empty',
    filed: 'speaches-ai/speaches#86',
    requirement: 'audio.verbose.segments-when-asked',
    on: listen,
    does: setInResponse('/segments', (segments) => (segments === undefined ? undefined : [])),
  },
  {
    id: 'audio-speech-wav-by-default',
    says: 'the default format of speech is wav',
    filed: 'adrianlyjak/obsidian-aloud-tts#113',
    requirement: 'audio.speech.mp3-by-default',
    on: speak,
    does: replaceBody((body) => ({ response_format: 'wav', ...body })),
  },
  {
    id: 'audio-speech-pcm-by-default',
    says: 'the default format of speech is pcm',
    filed: 'basnijholt/agent-cli#270',
    requirement: 'audio.speech.mp3-by-default',
    on: speak,
    does: replaceBody((body) => ({ response_format: 'pcm', ...body })),
  },
  {
    id: 'audio-opus-refused',
    says: 'rejects the response_format opus',
    filed: 'maemreyo/omnivoice-server#16',
    requirement: 'createSpeech:body.response_format#enum.accepted',
    on: speak,
    does: rejectValid('response_format', (format) => format === 'opus'),
  },
  {
    id: 'audio-speech-in-json',
    says: 'speech is a JSON object with base64 text',
    filed: 'tenstorrent/tt-inference-server#1776',
    requirement: 'audio.speech.not-labelled-as-text',
    on: speak,
    does: { handle: () => ({ audio: 'UklGRiQAAABXQVZF', sample_rate: 24000 }) },
  },
  {
    id: 'audio-words-missing',
    says: 'transcriptions lack the timestamps of words',
    filed: 'mudler/LocalAI#9306',
    requirement: 'audio.verbose.words-when-asked',
    on: listen,
    does: setInResponse('/words', () => undefined),
  },
];

/** Sends texts as JSON strings. */
function quoted(): FaultHooks {
  return {
    handle: async (request, proceed) => {
      const outcome = await proceed(request);
      if (!(outcome instanceof BinaryResponse) || typeof outcome.bytes !== 'string') return outcome;
      return new BinaryResponse(outcome.type, JSON.stringify(outcome.bytes));
    },
  };
}
