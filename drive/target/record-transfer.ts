import type { Recording } from '../../exchange/cassette/recording.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { MAX_READ_BYTES } from '../../exchange/http/body.ts';
import type { IncomingResponse, OutgoingRequest } from './target.ts';

export type ExchangeRecording = Pick<Recording, 'id' | 'requestBody' | 'response' | 'piece' | 'end'>;

const PIECE_BYTES = 64 * 1024;

/** Returns the body to send. A small one is recorded at once; a streamed or larger one only as far as it is sent. */
export function recordBody(
  body: OutgoingRequest['body'],
  record: (bytes: Uint8Array) => void,
): OutgoingRequest['body'] {
  if (body === null) return null;
  const isStreamed = 'chunks' in body;
  if (!isStreamed && body.byteLength <= MAX_READ_BYTES) {
    record(body);
    return body;
  }
  const chunks = isStreamed ? body.chunks : splitBody(body);
  async function* recordChunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      record(chunk);
      yield chunk;
    }
  }
  return { size: isStreamed ? body.size : body.byteLength, chunks: recordChunks() };
}

function* splitBody(body: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < body.byteLength; from += PIECE_BYTES)
    yield body.subarray(from, from + PIECE_BYTES);
}

export async function storeResponse(
  recording: ExchangeRecording,
  { response, end }: IncomingResponse,
): Promise<Exchange> {
  if (response !== null) {
    recording.response(response);
    const bytes = response.body.bytes ?? new Uint8Array(0);
    for (const [i, { offset, at }] of response.pieces.entries()) {
      recording.piece(bytes.subarray(offset, response.pieces[i + 1]?.offset), at);
    }
  }
  const exchange = await recording.end({ ...end, trailers: response?.trailers ?? [] });
  if (exchange === null) throw new Error('The recorder kept no exchange: a run needs the option `collect`.');
  return exchange;
}
