// Functions and classes for collectors, which a suite needs only where no selector is enough.
export { precedes } from '../../exchange/exchange.ts';
export { follow } from '../../judge/evidence/calls.ts';
export { Deferred } from '../../judge/evidence/deferred.ts';
export { bodyDigest } from '../../judge/evidence/streamed-pairs.ts';
export { LruMap } from '../../judge/trace/lru-map.ts';
export { Timeline } from '../../judge/trace/timeline.ts';
