import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';

/**
 * One of the parts that traffic is cut into. Exchanges about one resource, such as a thread, are in one part
 * alone; those that any part may depend on are shared: each part sees them, and one of them judges them.
 */
export interface TrafficCut {
  /** Whether the exchange is judged in this part. */
  isOwn(exchange: Exchange): boolean;
  /** Whether every part sees the exchange. */
  isShared(exchange: Exchange): boolean;
  /** Whether the states of an object are counted in this part. */
  readonly ownsObject: (object: Json) => boolean;
}
