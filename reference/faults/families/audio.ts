import {
  acceptAnyValue,
  changeContent,
  ignoreField,
  replaceBody,
  setInResponse,
} from '../../deviations/changes.ts';
import type { Fault } from '../../deviations/hooks.ts';
import { BinaryResponse } from '../../http/response.ts';
import type { HandlerRequest } from '../../http/route.ts';

const listen = ['createTranscription'];
const speak = ['createSpeech'];

export const faults: readonly Fault[] = [
  {
    id: 'audio-speech-truncated',
    says: 'speech files are truncated after their header',
    requirement: 'audio.speech.takes-time',
    on: speak,
    does: changeContent((bytes) => bytes.subarray(0, 44)),
  },
  {
    id: 'audio-speech-format-ignored',
    says: 'speech is always in wav format',
    requirement: 'audio.speech.format-as-asked',
    on: speak,
    does: replaceBody((body) => ({ ...body, response_format: 'wav' })),
  },
  {
    id: 'audio-speech-default-format',
    says: 'the default format of speech is flac',
    requirement: 'audio.speech.mp3-by-default',
    on: speak,
    does: replaceBody((body) => ({ response_format: 'flac', ...body })),
  },
  {
    id: 'audio-speed-ignored',
    says: 'ignores speed',
    requirement: 'audio.speech.faster-is-shorter',
    on: speak,
    does: ignoreField('speed'),
  },
  {
    id: 'audio-voice-unchecked',
    says: 'accepts unknown voices',
    requirement: 'createSpeech:body.voice#enum.rejected',
    on: speak,
    does: {
      body: (body) =>
        typeof body === 'object' && body !== null && 'voice' in body && typeof body['voice'] === 'string'
          ? { ...body, voice: 'alloy' }
          : body,
    },
  },
  {
    id: 'audio-speed-unchecked',
    says: 'accepts a speed above 4',
    requirement: 'createSpeech:body.speed#maximum.rejected',
    on: speak,
    does: acceptAnyValue('speed', (value) => Number(value) > 4),
  },
  {
    id: 'audio-srt-unreadable',
    says: 'srt captions lack the arrow between their times',
    requirement: 'audio.transcription.srt-is-subrip',
    on: listen,
    does: captions('srt', (text) => text.replaceAll('-->', '..')),
  },
  {
    id: 'audio-srt-unnumbered',
    says: 'all srt captions have the number 7',
    requirement: 'audio.transcription.srt-is-numbered',
    on: listen,
    does: captions('srt', (text) => text.replaceAll(/^\d+$/gm, '7')),
  },
  {
    id: 'audio-vtt-nameless',
    says: 'vtt captions do not begin with WEBVTT',
    requirement: 'audio.transcription.vtt-is-webvtt',
    on: listen,
    does: captions('vtt', (text) => text.replace('WEBVTT', '')),
  },
  {
    id: 'audio-text-as-json',
    says: 'transcriptions in text format are JSON objects',
    requirement: 'audio.transcription.text-is-plain',
    on: listen,
    does: captions('text', (text) => JSON.stringify({ text })),
  },
  {
    id: 'audio-words-missing',
    says: 'transcriptions lack the timestamps of words',
    filed: 'mudler/LocalAI#9306',
    requirement: 'audio.verbose.words-when-asked',
    on: listen,
    does: setInResponse('/words', () => undefined),
  },
  {
    id: 'audio-duration-wrong',
    says: 'the duration of a recording is in minutes',
    requirement: 'audio.verbose.duration-of-the-audio',
    on: listen,
    does: setInResponse('/duration', (seconds) => (seconds === undefined ? undefined : Number(seconds) / 60)),
  },
];

/** Changes the responses in one format. */
function captions(format: string, change: (text: string) => string): Fault['does'] {
  return {
    handle: async (request: HandlerRequest, proceed) => {
      const outcome = await proceed(request);
      const { response_format: asked } = request.body;
      if (!(outcome instanceof BinaryResponse) || typeof outcome.bytes !== 'string' || asked !== format)
        return outcome;
      return new BinaryResponse(outcome.type, change(outcome.bytes));
    },
  };
}
