// Words for collecting evidence by hand, where no selector fits: calls in the order in which they ended, in bounded memory.
export { precedes } from '../../exchange/exchange.ts';
export { LruMap } from '../../judge/evidence/lru-map.ts';
export { follow } from '../../judge/evidence/selectors/follow.ts';
export { bodyDigest } from '../../judge/evidence/selectors/pairs.ts';
