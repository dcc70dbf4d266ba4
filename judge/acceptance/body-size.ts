import type { RequestRow } from '../requirements/acceptance-facts.ts';

const STEPS = [100, 125, 160, 200, 250, 320, 400, 500, 640, 800] as const;
const DECADES = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000] as const;
/** The sizes at which features begin, in bytes, ascending. */
const LIMITS: readonly number[] = DECADES.flatMap((decade) => STEPS.map((step) => step * decade));
const SIZE_PREFIX = 'size>=';

/** `size>=400`: the body has at least 400 bytes, and fewer than the next limit. */
export const SIZE_FEATURES: readonly string[] = LIMITS.map((limit) => `${SIZE_PREFIX}${limit}`);

/** Empty below 100 bytes. */
export function sizeFeatures(bytes: number): readonly string[] {
  const limit = LIMITS.findLast((one) => one <= bytes);
  return limit === undefined ? [] : [`${SIZE_PREFIX}${limit}`];
}

function isSizeFeature(feature: string): boolean {
  return feature.startsWith(SIZE_PREFIX);
}

export function reachedSize(features: readonly string[]): number {
  return Number(features.find(isSizeFeature)?.slice(SIZE_PREFIX.length) ?? 0);
}

/** A body also has the features of smaller sizes. */
export function hasAllFeatures(features: readonly string[], cause: readonly string[]): boolean {
  const size = reachedSize(features);
  return cause.every((one) => (isSizeFeature(one) ? reachedSize([one]) <= size : features.includes(one)));
}

/** Merges rows that then have equal features. */
export function withoutSizes(rows: readonly RequestRow[]): readonly RequestRow[] {
  const rowsByFeatures = new Map<string, RequestRow>();
  for (const row of rows) {
    const features = row.features.filter((feature) => !isSizeFeature(feature));
    const key = features.join(' ');
    const known = rowsByFeatures.get(key);
    rowsByFeatures.set(key, known === undefined ? { ...row, features } : mergeRows(known, row));
  }
  return [...rowsByFeatures.values()];
}

function mergeRows(known: RequestRow, { accepted, refused, exchanges }: RequestRow): RequestRow {
  return {
    features: known.features,
    accepted: known.accepted + accepted,
    refused: known.refused + refused,
    exchanges: [...known.exchanges, ...exchanges],
  };
}

/**
 * The lowest limit that no accepted body reaches, and the highest that one does (0 if none does); null if an accepted
 * body reaches all limits.
 */
export function acceptedLimit(
  rows: readonly RequestRow[],
): { readonly limit: number; readonly below: number } | null {
  const accepted = rows.filter((row) => row.accepted > 0).map(({ features }) => reachedSize(features));
  const below = Math.max(0, ...accepted);
  const limit = LIMITS.find((one) => one > below);
  return limit === undefined ? null : { limit, below };
}
