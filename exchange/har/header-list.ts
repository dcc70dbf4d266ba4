import type { HeaderPairs } from '../exchange.ts';
import type { HarHeader } from './format.ts';

/** Header fields as a HAR file lists them: as name and value, in their order. */
export function harHeaders(headers: HeaderPairs): HarHeader[] {
  return headers.map(([name, value]) => ({ name, value }));
}
