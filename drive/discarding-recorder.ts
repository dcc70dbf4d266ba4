import type { RequestHead, ResponseHead } from '../exchange/cassette/recording.ts';
import type { Exchange, Piece } from '../exchange/exchange.ts';
import { Body } from '../exchange/http/body.ts';
import type { ExchangeRecorder } from './run-session.ts';

/** A recorder for calls that are not evidence: it keeps each exchange until it ends, and nothing afterwards. */
export function discardingRecorder(): ExchangeRecorder {
  let begun = 0;
  let ended = 0;
  return {
    note: () => {},
    begin: (head) => {
      begun += 1;
      return recording(`e${begun}`, ended, head, () => {
        ended += 1;
        return ended;
      });
    },
  };
}

/**
 * Collects the parts of one exchange. `end` returns its ordinal among the ends, which the order of exchanges
 * rests on.
 */
function recording(
  id: string,
  after: number,
  head: RequestHead,
  end: () => number,
): ReturnType<ExchangeRecorder['begin']> {
  const sent: Uint8Array[] = [];
  const received: Uint8Array[] = [];
  const pieces: Piece[] = [];
  let offset = 0;
  let answer: ResponseHead | null = null;
  return {
    id,
    requestBody: (bytes) => void sent.push(bytes),
    response: (given) => {
      answer = given;
    },
    piece: (bytes, at = 0) => {
      pieces.push({ offset, at });
      received.push(bytes);
      offset += bytes.byteLength;
    },
    end: async ({ how, detail = null, trailers = [], at = 0 }): Promise<Exchange> => {
      const { method, target, headers } = head;
      const body = Body.of(Buffer.concat(received));
      const response = answer && { ...answer, body, trailers, pieces };
      const request = { method, target, headers, body: Body.of(Buffer.concat(sent)) };
      return {
        id,
        after,
        ended: end(),
        scenario: head.scenario ?? null,
        probe: head.probe ?? null,
        request,
        response,
        end: { how, detail, at },
      };
    },
  };
}
