// The generated files of the suites, committed so that a changed level or sentence shows in review.
import { COMMON_FEATURES, listedFeatures } from '../../judge/acceptance/feature-list.ts';
import { listingEntries } from '../../reports/formats/listing.ts';
import { catalogue } from '../../suites/index.ts';

/**
 * The text of suites/ledger.json: everything that the suites say. Sorted by id, one entry per line, so that a merge of two
 * branches conflicts only if both change one entry.
 */
export async function renderLedger(): Promise<string> {
  const entries = listingEntries(await catalogue('both')).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return `[\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}\n]\n`;
}

/** The text of suites/features.json: the features of requests by which causes of refusals are named. */
export function renderFeatures(): string {
  const rows = [['*', COMMON_FEATURES] as const, ...listedFeatures()];
  return `{\n${rows.map((row) => row.map((one) => JSON.stringify(one)).join(':')).join(',\n')}\n}\n`;
}
