// The size of a request's body as a feature. Size correlates with other features, so one size may replace several causes.
import type { RequestRow } from '../requirements/refusals.ts';

const STEPS = [100, 125, 160, 200, 250, 320, 400, 500, 640, 800] as const;
const DECADES = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000] as const;
/** The sizes that features distinguish, in bytes, ascending. */
const LIMITS: readonly number[] = DECADES.flatMap((decade) => STEPS.map((step) => step * decade));

const SIZE_PREFIX = 'size>=';

/** `size>=400`: the body has at least 400 bytes, and fewer than the next limit. */
export const SIZE_FEATURES: readonly string[] = LIMITS.map((limit) => `${SIZE_PREFIX}${limit}`);

/** The feature of a body of this size; none below 100 bytes. */
export function sizeFeatures(bytes: number): readonly string[] {
  const limit = LIMITS.findLast((one) => one <= bytes);
  return limit === undefined ? [] : [`${SIZE_PREFIX}${limit}`];
}

function isSizeFeature(feature: string): boolean {
  return feature.startsWith(SIZE_PREFIX);
}

/** The limit that the body of a request reaches, in bytes; 0 without a size feature. */
export function sizeOf(features: readonly string[]): number {
  return Number(features.find(isSizeFeature)?.slice(SIZE_PREFIX.length) ?? 0);
}

/** Whether a request has all features of a cause. A body also has the features of smaller sizes. */
export function hasAll(features: readonly string[], cause: readonly string[]): boolean {
  const size = sizeOf(features);
  return cause.every((one) => (isSizeFeature(one) ? sizeOf([one]) <= size : features.includes(one)));
}

export function withoutSizes(rows: readonly RequestRow[]): readonly RequestRow[] {
  const kinds = new Map<string, RequestRow>();
  for (const row of rows) {
    const features = row.features.filter((feature) => !isSizeFeature(feature));
    const key = features.join(' ');
    const known = kinds.get(key);
    kinds.set(key, known === undefined ? { ...row, features } : mergeRows(known, row));
  }
  return [...kinds.values()];
}

function mergeRows(known: RequestRow, { accepted, refused, exchanges }: RequestRow): RequestRow {
  return {
    features: known.features,
    accepted: known.accepted + accepted,
    refused: known.refused + refused,
    exchanges: [...known.exchanges, ...exchanges],
  };
}

/** The lowest limit at and above which nothing was accepted, and the limit below it; null if the largest body was accepted. */
export function limitOf(
  rows: readonly RequestRow[],
): { readonly limit: number; readonly below: number } | null {
  const accepted = Math.max(0, ...rows.flatMap((row) => (row.accepted > 0 ? [sizeOf(row.features)] : [])));
  const limit = LIMITS.find((one) => one > accepted);
  return limit === undefined ? null : { limit, below: accepted };
}
