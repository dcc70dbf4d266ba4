import { callsOperation } from '../vocabulary/changes.ts';
import { withBody } from '../vocabulary/exchanges.ts';
import { numberAt } from '../vocabulary/json.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Exchange, Mutation } from '../vocabulary/types.ts';
import { requestedFormat, SPEECH } from './selectors/speech-results.ts';
import { speedPairs } from './selectors/speeds.ts';

const { implied } = section('2 Audio');

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
