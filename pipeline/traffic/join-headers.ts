import { stableBaseUrl } from '../../exchange/cassette/finish.ts';
import { claimedNames, parseClaims } from '../../exchange/claims.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import { UsageError } from '../setup/usage-error.ts';
import type { TrafficPart } from './traffic-part.ts';

type HeaderOfPart = Pick<TrafficPart, 'path' | 'header'>;

/** Settings in which all parts must be equal. */
const COMMON_SETTINGS = ['filters', 'allow', 'dialect', 'extensions', 'betaHeader', 'models', 'key'] as const;

/** Whether two runs had the same target; the ports of local services may differ. */
function isSameTarget(a: TraceHeader['target'], b: TraceHeader['target']): boolean {
  return a.name === b.name && stableBaseUrl(a.baseUrl) === stableBaseUrl(b.baseUrl);
}

/** Throws UsageError for missing, duplicate and unrelated shards: evidence would be lost, or counted twice. */
function requireEachShardOnce(parts: readonly HeaderOfPart[]): void {
  const shards = parts.map(({ header }) => header.shard);
  if (shards.every((shard) => shard === null)) return;
  const total = shards[0]?.of ?? 0;
  if (shards.some((shard) => shard?.of !== total)) {
    const descriptions = parts.map(
      ({ path, header: { shard } }) =>
        `${path} is ${shard === null ? 'a whole run' : `${shard.index} of ${shard.of}`}`,
    );
    throw new UsageError(
      `These are not the shards of one run: ${descriptions.join(', ')}. Judge them one at a time.`,
    );
  }
  const indexes = shards.map((shard) => shard?.index ?? 0).toSorted((a, b) => a - b);
  const duplicate = indexes.find((index, i) => index === indexes[i - 1]);
  const missing = Array.from({ length: total }, (_, i) => i + 1).filter((index) => !indexes.includes(index));
  if (duplicate !== undefined)
    throw new UsageError(`Shard ${duplicate} of ${total} is given twice. Name each shard once.`);
  if (missing.length > 0)
    throw new UsageError(
      `Shards are missing: ${missing.join(', ')} of ${total}. Name all shards, or judge them one at a time.`,
    );
}

/** The first part's header with the claims of every part. Throws UsageError if the parts are not of one run. */
export function joinHeaders(parts: readonly HeaderOfPart[]): TraceHeader {
  const [first, ...others] = parts;
  if (first === undefined) throw new UsageError('Name a cassette.');
  if (others.length === 0) return first.header;
  for (const { path, header } of others) {
    const differing = COMMON_SETTINGS.find(
      (name) => JSON.stringify(header[name]) !== JSON.stringify(first.header[name]),
    );
    if (differing !== undefined) {
      throw new UsageError(
        `${first.path} and ${path} are not of one run: they differ in ${differing}. Judge them one at a time.`,
      );
    }
  }
  const { target } = first.header;
  const differentPart = others.find(({ header }) => !isSameTarget(header.target, target));
  if (differentPart !== undefined) {
    const urls = `${target.baseUrl} and ${differentPart.header.target.baseUrl}`;
    throw new UsageError(
      `${first.path} and ${differentPart.path} are of different targets, ${urls}. Judge them one at a time.`,
    );
  }
  requireEachShardOnce(parts);
  const names = new Set(parts.flatMap(({ header }) => claimedNames(header.claims)));
  const { how, version } = first.header.claims;
  const hasVersion = version !== undefined && parts.every(({ header }) => header.claims.version === version);
  const isDisturbed = parts.some(({ header }) => header.disturbed === true);
  return {
    ...first.header,
    claims: { ...parseClaims([...names]), ...(hasVersion && { version }), how },
    ...(isDisturbed && { disturbed: true }),
    shard: null,
  };
}
