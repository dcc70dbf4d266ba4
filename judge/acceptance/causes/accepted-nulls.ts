import type { RequestRow } from './candidates.ts';

/** End of the feature of a parameter that is there as null. */
const NULL = '=null';

/**
 * Requests whose features count against causes: an accepted null does not show that other values of the parameter are accepted. Elements
 * of lists are left as they are, because another element beside the null may have a value.
 */
export function withoutNulls(row: RequestRow): RequestRow {
  if (row.accepted === 0) return row;
  const unset = row.features
    .filter((one) => one.endsWith(NULL) && !one.includes('[]'))
    .map((one) => one.slice(0, -NULL.length));
  return unset.length === 0 ? row : { ...row, features: row.features.filter((one) => !unset.includes(one)) };
}
