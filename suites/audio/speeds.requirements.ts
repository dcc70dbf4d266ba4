import type { Exchange } from '../../exchange/exchange.ts';
import { numberAt } from '../../judge/evidence/json.ts';
import { withBody } from '../../judge/mutations/exchanges.ts';
import { callsOperation } from '../../judge/mutations/mutations.ts';
import { requirement } from '../../judge/requirements/define.ts';
import type { Mutation } from '../../judge/requirements/requirement.ts';
import { requestedFormat, SPEECH } from './selectors/speech-results.ts';
import { speedPairs } from './selectors/speeds.ts';

export const audioSpeechFasterIsShorter = requirement({
  id: 'audio.speech.faster-is-shorter',
  level: 'MUST',
  basis: 'implied',
  spec: '2 Audio',
  says: 'The same text takes less time at twice the speed or more.',
  selector: speedPairs(),
  check: ({ slow, fast }) =>
    fast.seconds < slow.seconds
      ? []
      : [
          {
            at: 'body',
            expected: `less than ${slow.seconds} s at speed ${fast.speed}, as at speed ${slow.speed}`,
            actual: `${fast.seconds} s`,
          },
        ],
  mutations: { 'as fast at every speed': everyone(slowest), 'slower instead': backwards },
});

/** A speech of the trace, with what it was asked for. */
interface Speech {
  readonly exchange: Exchange;
  readonly speed: number;
  readonly format: string;
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

function slowest(alike: readonly Speech[]): Speech | undefined {
  return alike[0];
}

/** Answers each speech as one of its format. */
function everyone(choose: (alike: readonly Speech[]) => Speech | undefined): Mutation {
  return (trace) => {
    const all = speechesOf(trace);
    return trace.map((exchange) => {
      const own = all.find((one) => one.exchange === exchange);
      const other = own && choose(all.filter(({ format }) => format === own.format));
      return withBytesOf(exchange, other);
    });
  };
}

/** Answers the slowest as the fastest, and so on. */
function backwards(trace: readonly Exchange[]): readonly Exchange[] {
  const all = speechesOf(trace);
  return trace.map((exchange) => {
    const own = all.find((one) => one.exchange === exchange);
    const alike = all.filter(({ format }) => format === own?.format);
    return own === undefined ? exchange : withBytesOf(exchange, alike.at(-1 - alike.indexOf(own)));
  });
}

function withBytesOf(exchange: Exchange, other: Speech | undefined): Exchange {
  const bytes = other?.exchange.response?.body.bytes ?? null;
  return bytes === null ? exchange : withBody(exchange, bytes);
}
