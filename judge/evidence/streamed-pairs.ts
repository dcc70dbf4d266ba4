import { createHash } from 'node:crypto';
import type { Json } from '../../exchange/http/body.ts';
import { isJsonObject, sortKeys } from '../../schemas/json.ts';
import { getOrMake } from '../../schemas/maps.ts';
import type { Collector, Evidence, Selector } from '../requirements/requirement.ts';
import type { Call } from '../trace/call.ts';
import { LruMap } from '../trace/lru-map.ts';
import { type StreamEvidence, streamOf } from './streams.ts';

const selectorByOperation = new Map<string, Selector<StreamedPair>>();

export interface StreamedPair extends Evidence {
  /** The JSON body of the request, without `stream` and `stream_options`. */
  readonly asked: Json;
  /** The responses in one piece. */
  readonly plain: readonly { readonly call: Call; readonly answer: Json }[];
  /** Only streams that ended by themselves. */
  readonly streamed: readonly StreamEvidence[];
}

type RequestGroup = { asked: Json; plain: { call: Call; answer: Json }[]; streamed: StreamEvidence[] };

const MAX_RESPONSES = 8;

/** Pairs the responses to requests that differ only in `stream` and `stream_options`, at the end of the trace. */
export function streamedPairs(operation: string): Selector<StreamedPair> {
  return getOrMake(selectorByOperation, operation, () => ({
    operations: [operation],
    variant: null,
    needs: `a whole stream and an answer in one piece to the same request of ${operation}`,
    collect: createPairCollector,
  }));
}

function createPairCollector(): Collector<StreamedPair> {
  const groups = new LruMap<RequestGroup>();
  return {
    call: (call) => {
      const { requestJson: asked, responseJson: answer } = call;
      if (!isJsonObject(asked) || call.responseClass !== 'accepted') return [];
      const { stream: _, stream_options: __, ...common } = asked;
      const group = groups.at(bodyDigest(common), () => ({ asked: common, plain: [], streamed: [] }));
      const stream = streamOf(call);
      if (stream?.ended && group.streamed.length < MAX_RESPONSES) group.streamed.push(stream);
      else if (stream === null && answer !== undefined && group.plain.length < MAX_RESPONSES)
        group.plain.push({ call, answer });
      return [];
    },
    finish: () =>
      [...groups.values()]
        .filter(({ plain, streamed }) => plain.length > 0 && streamed.length > 0)
        .map((group) => ({
          ...group,
          exchanges: [...group.plain, ...group.streamed]
            .map(({ call }) => call.exchange)
            .sort((a, b) => a.ended - b.ended),
        })),
  };
}

/** A digest of JSON that ignores the order of keys. */
export function bodyDigest(body: Json): string {
  return createHash('sha256')
    .update(JSON.stringify(sortKeys(body)))
    .digest('base64');
}
