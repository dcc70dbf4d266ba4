// Pairs streamed with plain responses to the same request, so that a requirement can compare their form.

import { createHash } from 'node:crypto';
import type { Json } from '../../../exchange/http/body.ts';
import { sortKeys } from '../../../exchange/matching/request-key.ts';
import { isJsonObject } from '../../../schemas/json.ts';
import type { Collector, Evidence, Selector } from '../../requirements/requirement.ts';
import type { Call } from '../../trace/call.ts';
import { LruMap } from '../lru-map.ts';
import { type StreamEvidence, streamOf } from './streams.ts';

/** Answers to the same request, streamed and not streamed; both at least once. */
export interface StreamedPair extends Evidence {
  readonly asked: Json;
  readonly plain: readonly { readonly call: Call; readonly answer: Json }[];
  /** Only streams that ended by themselves. */
  readonly streamed: readonly StreamEvidence[];
}

/** Responses to one request. */
interface Group {
  readonly asked: Json;
  readonly plain: { readonly call: Call; readonly answer: Json }[];
  readonly streamed: StreamEvidence[];
}

/** Responses of one kind that are kept for one request. */
const KEPT = 8;

/** Requests that differ only in `stream` and `stream_options`; complete at the end of the trace. */
export function streamedPairs(operation: string): Selector<StreamedPair> {
  let selector = selectors.get(operation);
  if (selector === undefined) {
    selector = {
      operations: [operation],
      variant: null,
      needs: `a whole stream and an answer in one piece to the same request of ${operation}`,
      collect: () => new PairCollector(),
    };
    selectors.set(operation, selector);
  }
  return selector;
}

/** One selector for each operation. */
const selectors = new Map<string, Selector<StreamedPair>>();

class PairCollector implements Collector<StreamedPair> {
  readonly #groups = new LruMap<Group>();

  call(call: Call): readonly StreamedPair[] {
    const { requestJson: asked, responseJson: answer } = call;
    if (!isJsonObject(asked) || call.responseClass !== 'accepted') return [];
    const { stream: _, stream_options: __, ...rest } = asked;
    const group = this.#groups.at(bodyDigest(rest), () => ({ asked: rest, plain: [], streamed: [] }));
    const stream = streamOf(call);
    if (stream?.ended && group.streamed.length < KEPT) group.streamed.push(stream);
    else if (stream === null && answer !== undefined && group.plain.length < KEPT)
      group.plain.push({ call, answer });
    return [];
  }

  finish(): readonly StreamedPair[] {
    return [...this.#groups.values()]
      .filter(({ plain, streamed }) => plain.length > 0 && streamed.length > 0)
      .map((group) => ({
        ...group,
        exchanges: [
          ...group.plain.map(({ call }) => call.exchange),
          ...group.streamed.map(({ call }) => call.exchange),
        ],
      }));
  }
}

/** A digest of JSON, such as a request body; the order of keys does not matter. */
export function bodyDigest(body: Json): string {
  return createHash('sha256')
    .update(JSON.stringify(sortKeys(body)))
    .digest('base64');
}
