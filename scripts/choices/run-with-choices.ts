import { reportOfCassette } from '../../pipeline/testing/report-of-cassette.ts';
import type { Selection } from '../../reference/choices/selection.ts';
import type { ReferenceOptions } from '../../reference/service.ts';
import type { Report } from '../../reports/report.ts';
import { type ReferenceRunOptions, runOnReference } from '../run-on-reference.ts';

/** By default, all cost classes are allowed, because an alternative can remove the evidence of any scenario. */
const ALL_COSTS = 'images,audio,training,batches,bulk,large';

export function runWithChoices(
  choices: Selection,
  filter: Readonly<Record<string, string>> = {},
  { stateDelay, ...hooks }: Pick<ReferenceRunOptions, 'prepare'> & Pick<ReferenceOptions, 'stateDelay'> = {},
): Promise<Report> {
  const flags = { claim: 'all', allow: ALL_COSTS, ...filter };
  return runOnReference({ reference: { choices, stateDelay }, flags, ...hooks }, reportOfCassette);
}
