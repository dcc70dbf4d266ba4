import { decodedContent, mediaTypeOf } from '../../exchange/http/content.ts';
import { rowOf } from '../rows/rows.ts';
import { callsOperation, inEveryResponse } from '../vocabulary/changes.ts';
import { withBody } from '../vocabulary/exchanges.ts';
import { asks, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Exchange, Json, Mutation } from '../vocabulary/types.ts';
import {
  hasWords,
  requestedFormat,
  SPEECH,
  type SpeechResult,
  speechResults,
} from './selectors/speech-results.ts';

const { stated, implied } = section('2 Audio');

/** Containers that are accepted for a requested format. */
const CONTAINERS: Readonly<Record<string, readonly string[]>> = {
  mp3: ['mp3'],
  opus: ['ogg-opus', 'webm'],
  aac: ['aac', 'mp4'],
  flac: ['flac', 'ogg-flac'],
  wav: ['wav'],
};

/** An error page with the status of success. */
const PAGE = '<html><body>no speech</body></html>';

const inOtherThanPcm = that<Json | undefined>(
  'whose request has a response_format other than pcm',
  (asked) => requestedFormat(asked) !== null && requestedFormat(asked) !== 'pcm',
);

export const audioSpeechFormatAsAsked = rowOf('audio.speech.format-as-asked', {
  evidence: speechResults(inOtherThanPcm),
  check: (evidence) => inFormat(evidence, requestedFormat(evidence.asked) ?? ''),
  broken_by: { 'the audio of another format': otherFormats((own, other) => own !== other) },
});

export const audioSpeechMp3ByDefault = stated('audio.speech.mp3-by-default', {
  says: 'Speech is mp3 unless another format is requested.',
  selector: speechResults(
    that('whose request has no response_format', (asked) => requestedFormat(asked) === null),
  ),
  check: (evidence) => inFormat(evidence, 'mp3'),
  mutations: {
    'another format': otherFormats((_, other) => other !== 'mp3'),
    'a page': inEveryResponse(SPEECH, (exchange) => withBody(exchange, PAGE)),
  },
});

export const audioSpeechPcmIsBare = stated('audio.speech.pcm-is-bare', {
  says: 'Speech as pcm is samples, without a container.',
  selector: where(speechResults(), asks('response_format', 'pcm')),
  check: (evidence) => {
    const { bytes, call } = evidence;
    const { response } = call.exchange;
    const expected = 'samples';
    const found = evidence.audio();
    if (found !== null) return [violation('body', expected, found.format)];
    if (bytes.byteLength < 2) return [violation('body', expected, `${bytes.byteLength} bytes`)];
    const text = response === null ? null : (decodedContent(response)?.text ?? null);
    return text !== null && /^\s*[{[<"]/.test(text) ? [violation('body', expected, text.slice(0, 200))] : [];
  },
  mutations: {
    'in a container': otherFormats((own, other) => own === 'pcm' && other === 'wav'),
    'a page': inEveryResponse(SPEECH, (exchange) => withBody(exchange, PAGE)),
    JSON: inEveryResponse(SPEECH, (exchange) => withBody(exchange, '{"audio":""}')),
    nothing: inEveryResponse(SPEECH, (exchange) => withBody(exchange, '')),
  },
});

export const audioSpeechTakesTime = implied('audio.speech.takes-time', {
  says: 'Speech of a text has a duration above 0.',
  selector: where(
    speechResults(that('whose input has words', hasWords)),
    that('with a duration that can be read', (evidence) => (evidence.audio()?.seconds ?? null) !== null),
  ),
  check: (evidence) => {
    const seconds = evidence.audio()?.seconds ?? 0;
    return seconds > 0 ? [] : [violation('body', 'more than 0 seconds', seconds)];
  },
  mutations: { 'a header only': inEveryResponse(SPEECH, (exchange) => withBody(exchange, SILENCE)) },
});

/** A WAVE file whose header says that it has no samples. */
const SILENCE = Buffer.concat([
  Buffer.from('RIFF\u0024\u0000\u0000\u0000WAVEfmt \u0010\u0000\u0000\u0000', 'latin1'),
  Buffer.from([1, 0, 1, 0, 0x80, 0x3e, 0, 0, 0, 0x7d, 0, 0, 2, 0, 16, 0]),
  Buffer.from('data\u0000\u0000\u0000\u0000', 'latin1'),
]);

function inFormat(evidence: SpeechResult, asked: string) {
  const found = evidence.audio()?.format ?? 'audio in a known container';
  const containers = CONTAINERS[asked];
  return containers === undefined || containers.includes(found) ? [] : [violation('body', asked, found)];
}

/** Replaces the audio of each response by the audio of a response in another format. */
function otherFormats(fits: (own: string, other: string) => boolean): Mutation {
  return (trace) => {
    const reported = trace.flatMap((exchange) => {
      const bytes =
        callsOperation(exchange, SPEECH) && isSuccessful(exchange) ? exchange.response?.body.bytes : null;
      return bytes == null ? [] : [{ format: formatOf(exchange), bytes }];
    });
    const changed = trace.map((exchange) => {
      if (!callsOperation(exchange, SPEECH) || !isSuccessful(exchange)) return exchange;
      const other = reported.find(({ format: one }) => fits(formatOf(exchange), one));
      return other === undefined ? exchange : withBody(exchange, other.bytes);
    });
    return changed.some((exchange, i) => exchange !== trace[i]) ? changed : null;
  };
}

function formatOf({ request }: Exchange): string {
  return requestedFormat(request.body.json?.value) ?? 'mp3';
}

function isSuccessful({ response }: Exchange): boolean {
  return response !== null && response.status < 300;
}

export const audioSpeechNotLabelledAsText = rowOf('audio.speech.not-labelled-as-text', {
  evidence: speechResults(),
  check: ({ call }) => {
    const actual = mediaTypeOf(call.exchange.response?.headers ?? [])?.essence ?? '';
    const isText = actual.startsWith('text/') || actual === 'application/json';
    return isText ? [violation('header content-type', 'a type of audio, or none', actual)] : [];
  },
});
