import { type Cassette, openCassette } from '../exchange/cassette/read.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { TraceHeader, TraceItem } from '../exchange/trace.ts';
import { UsageError } from './failing.ts';

/** Recorded traffic: to be judged item by item, and to be looked up in afterwards. */
export interface Recorded {
  readonly header: TraceHeader;
  items(): AsyncIterable<TraceItem>;
  exchange(id: string): Exchange | undefined;
  close(): void;
}

/** Opens a cassette. Throws CassetteError when it cannot be read. */
export async function openRecorded(paths: readonly string[]): Promise<Recorded> {
  const [path, ...more] = paths;
  if (path === undefined) throw new UsageError('Name a cassette.');
  if (more.length > 0) throw new UsageError('Name one cassette.');
  const cassette = await openCassette(path);
  return {
    header: cassette.header,
    items: () => cassette.items(),
    exchange: (id) => lookUp(cassette, id),
    close: () => cassette.close(),
  };
}

/** Ids count from 1 by start, which is how a cassette is indexed. */
function lookUp(cassette: Cassette, id: string): Exchange | undefined {
  const index = Number(id.slice(1)) - 1;
  return Number.isInteger(index) && index >= 0 && index < cassette.size
    ? cassette.exchange(index)
    : undefined;
}
