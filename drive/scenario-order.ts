import { operation } from '../schemas/index.ts';
import { groupBy } from '../schemas/maps.ts';
import type { Scenario } from './scenario/scenario.ts';

/** Kinds of objects in lists, by family. All other families share `files`, as batches and jobs need files. */
const LISTED_KINDS: Readonly<Record<string, string>> = {
  'assistants-v1': 'assistants',
  'assistants-v2': 'assistants',
  'vector-stores': 'vector stores',
};

/** Whether other scenarios must not create objects while this one runs, because it lists them. */
export function listsSharedObjects({ lists, operations }: Scenario): boolean {
  return lists ?? operations.some(listsOrganization);
}

function listsOrganization(id: string): boolean {
  return operation(id).list?.scope === 'organization';
}

/**
 * Orders scenarios that list shared objects: the groups run one after another, the sequences of a group concurrently.
 * Scenarios that declare other operations than lists may create anything, so they come first, one at a time. The others
 * create only what they list, so they follow in sequences that never see each other's objects.
 */
export function groupIntoSequences(
  scenarios: readonly Scenario[],
): readonly (readonly (readonly Scenario[])[])[] {
  const onlyLists = ({ operations }: Scenario) => operations.every(listsOrganization);
  const creating = scenarios.filter((scenario) => !onlyLists(scenario));
  const listing = groupBy(scenarios.filter(onlyLists), ({ family }) => LISTED_KINDS[family] ?? 'files');
  return [creating.length > 0 ? [creating] : [], [...listing.values()]].filter(({ length }) => length > 0);
}
