// Words for collecting evidence by hand, where no selector fits: calls in the order in which they ended, in bounded memory.
export { type Exchange, precedes } from '../../exchange/exchange.ts';
export { LruMap } from '../../judge/evidence/lru-map.ts';
export { follow } from '../../judge/evidence/selectors/follow.ts';
export type { Collector, Evidence, Selector } from '../../judge/requirements/requirement.ts';
export type { Call } from '../../judge/trace/call.ts';
