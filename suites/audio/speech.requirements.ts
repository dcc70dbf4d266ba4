import { decodedContent, mediaTypeOf } from '../../exchange/http/content.ts';
import { isCarriedOut } from '../../judge/probe/controls.ts';
import { violationsOf } from '../../judge/probe/unlabelled-violations.ts';
import { choiceOf, rowOf } from '../rows/rows.ts';
import { callsOperation, inEveryResponse } from '../vocabulary/changes.ts';
import { withBody } from '../vocabulary/exchanges.ts';
import { numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { asks, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Call, Exchange, Json, Mutation, Violation } from '../vocabulary/types.ts';
import {
  hasWords,
  type OwnSpeech,
  ownSpeechTranscripts,
  requestedFormat,
  SPEECH,
  type SpeechResult,
  speechResults,
  speedPairs,
  wordSet,
} from './speech.ts';

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

export const audioSpeechFasterIsShorter = implied('audio.speech.faster-is-shorter', {
  says: 'Speech of the same text is shorter at twice the speed or more; without a speed it is 1.',
  selector: speedPairs,
  check: ({ slow, fast }) =>
    fast.seconds < slow.seconds
      ? []
      : [
          violation(
            'body',
            `less than ${slow.seconds} s at speed ${fast.speed}, as at speed ${slow.speed}`,
            `${fast.seconds} s`,
          ),
        ],
  mutations: {
    'as fast at every speed': withChosen(slowest),
    'slower instead': reversedBySpeed,
    'slowest without a speed': unasked(0),
    'fastest without a speed': unasked(-1),
  },
});

/** Speech of the trace with the speed and format of its request. */
interface Speech {
  readonly exchange: Exchange;
  readonly speed: number;
  readonly format: string;
}

/** Gives a request without a speed the audio of the slowest speech of its format, or of the fastest. */
function unasked(place: 0 | -1): Mutation {
  return (trace) => {
    const all = speechesOf(trace);
    return trace.map((exchange) => {
      const own = all.find((one) => one.exchange === exchange);
      if (own === undefined || numberAt(exchange.request.body.json?.value, 'speed') !== undefined)
        return exchange;
      return withBytesOf(exchange, all.filter(({ format }) => format === own.format).at(place));
    });
  };
}

function speechesOf(trace: readonly Exchange[]): readonly Speech[] {
  return trace
    .filter((exchange) => callsOperation(exchange, SPEECH) && exchange.response?.status === 200)
    .map((exchange) => {
      const asked = exchange.request.body.json?.value;
      return { exchange, speed: numberAt(asked, 'speed') ?? 1, format: requestedFormat(asked) ?? 'mp3' };
    })
    .sort((a, b) => a.speed - b.speed);
}

function slowest(ofFormat: readonly Speech[]): Speech | undefined {
  return ofFormat[0];
}

/** Replaces the audio of each response by one chosen from the responses of its format. */
function withChosen(choose: (ofFormat: readonly Speech[]) => Speech | undefined): Mutation {
  return (trace) => {
    const all = speechesOf(trace);
    return trace.map((exchange) => {
      const own = all.find((one) => one.exchange === exchange);
      const other = own && choose(all.filter(({ format }) => format === own.format));
      return withBytesOf(exchange, other);
    });
  };
}

/** Exchanges the slowest audio with the fastest, the second slowest with the second fastest, and so on. */
function reversedBySpeed(trace: readonly Exchange[]): readonly Exchange[] {
  const all = speechesOf(trace);
  return trace.map((exchange) => {
    const own = all.find((one) => one.exchange === exchange);
    const ofFormat = all.filter(({ format }) => format === own?.format);
    return own === undefined ? exchange : withBytesOf(exchange, ofFormat.at(-1 - ofFormat.indexOf(own)));
  });
}

function withBytesOf(exchange: Exchange, other: Speech | undefined): Exchange {
  const bytes = other?.exchange.response?.body.bytes ?? null;
  return bytes === null ? exchange : withBody(exchange, bytes);
}

/** Formats that are both possible for speech and accepted as a file. */
const SHARED = ['mp3', 'flac', 'wav'];

/** It is not plausible that so many different words are all misheard. */
const ENOUGH = 6;

const inShared = that<OwnSpeech>(`in ${SHARED.join(' or ')}`, ({ format }) => SHARED.includes(format));
const conclusive = that<OwnSpeech>('that was answered conclusively', ({ transcription }) =>
  isConclusive(transcription),
);

export const audioTranscriptionTakesOwnSpeech = rowOf('audio.transcription.takes-own-speech', {
  evidence: where(ownSpeechTranscripts, inShared, conclusive),
  check: ({ transcription }): Violation[] => {
    if (transcription.responseClass === 'accepted') return [];
    const found = violation('status', '2xx', transcription.status);
    return [transcription.responseClass === 'capacity' ? { ...found, inconclusive: 'capacity' } : found];
  },
});

const plainEnough = that<OwnSpeech>(
  `of at least ${ENOUGH} plain words, at the usual speed`,
  (evidence) => isPlain(evidence) && plainWords(evidence.input) >= ENOUGH,
);
const withWords = that<OwnSpeech>('that has words', (evidence) => transcribedWordSet(evidence) !== null);

export const audioTranscriptionHearsOwnSpeech = rowOf('audio.transcription.hears-own-speech', {
  evidence: where(ownSpeechTranscripts, plainEnough, withWords),
  check: (evidence) => {
    const words = transcribedWordSet(evidence) ?? new Set();
    return [...wordSet(evidence.input)].some((word) => words.has(word))
      ? []
      : [
          violation(
            '/text',
            `some word of ${JSON.stringify(evidence.input)}`,
            textAt(evidence.transcription.responseJson, 'text'),
          ),
        ];
  },
});

export const audioTranscriptionOwnSpeech = choiceOf('audio.transcription.own-speech', {
  selector: where(ownSpeechTranscripts, (evidence) => transcribedWordSet(evidence) !== null),
  taken: (evidence) => {
    const words = transcribedWordSet(evidence) ?? new Set();
    const spoken = [...wordSet(evidence.input)];
    if (spoken.every((word) => words.has(word))) return 'all';
    return spoken.some((word) => words.has(word)) ? 'some' : 'none';
  },
});

/**
 * Whether a response shows that audio was accepted or was not. A rejected key, an unknown model, a reset and a response
 * without a valid form do not show it, nor does a rejection that may have another reason.
 */
function isConclusive(call: Call): boolean {
  if (call.responseClass === 'accepted') return isCarriedOut(call);
  if (call.responseClass === 'rejected') return violationsOf(call).length === 0 && !isGuided(call);
  return call.responseClass === 'failed' || call.responseClass === 'capacity';
}

/** Whether a request has fields beyond those that ask for a plain transcription. */
function isGuided({ requestJson: asked }: Call): boolean {
  return ['language', 'prompt'].some((field) => valueAtPath(asked, field) !== undefined);
}

/** Speech at a speed that can be understood, transcribed without a prompt that contains the spoken words. */
function isPlain({ speed, transcription }: OwnSpeech): boolean {
  return speed >= 0.5 && speed <= 2 && !isGuided(transcription);
}

/**
 * The number of different words that are separated by spaces and have one spelling only, which numerals do
 * not have.
 */
function plainWords(input: string): number {
  return [...wordSet(input)].filter((word) => /^[\p{Script=Latin}']+$/u.test(word)).length;
}

function transcribedWordSet({ transcription }: OwnSpeech): ReadonlySet<string> | null {
  const spoken = textAt(transcription.responseJson, 'text');
  return spoken === undefined ? null : wordSet(spoken);
}
