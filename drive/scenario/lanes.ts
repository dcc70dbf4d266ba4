import { operation } from '../../schemas/index.ts';
import type { Scenario } from './scenario.ts';

/** Scenarios that run one after the other. */
export interface ScenarioLane {
  /** For messages and tests; it has no effect on the order. */
  readonly name: string;
  readonly scenarios: readonly Scenario[];
}

/**
 * True where what others make shows in what a scenario lists. Such a scenario would see other objects in each
 * run, and its exchanges would differ, so it does not run beside creators.
 */
export function listsSharedObjects({ lists, operations }: Scenario): boolean {
  return lists ?? operations.some(isListOfAll);
}

function isListOfAll(id: string): boolean {
  return operation(id).list?.scope === 'organisation';
}

/** Families that list what no other family's lists hold, and whose lists need nothing else made. All others need files. */
const APART: Readonly<Record<string, string>> = {
  'assistants-v1': 'assistants',
  'assistants-v2': 'assistants',
  'vector-stores': 'vector stores',
};

/**
 * Groups of lanes for scenarios that list others' objects, one group after the other. First, alone, those that do more
 * than list: they may make anything. Then those that only list, beside each other where they never see each other's objects.
 */
export function lanesOf(scenarios: readonly Scenario[]): readonly (readonly ScenarioLane[])[] {
  const isOnlyListing = ({ operations }: Scenario) => operations.every(isListOfAll);
  const alone = scenarios.filter((scenario) => !isOnlyListing(scenario));
  const listing = scenarios.filter(isOnlyListing);
  const nameOf = ({ family }: Scenario) => APART[family] ?? 'files';
  const lanes = [...new Set(listing.map(nameOf))].map((name): ScenarioLane => {
    return { name, scenarios: listing.filter((scenario) => nameOf(scenario) === name) };
  });
  const groups: readonly (readonly ScenarioLane[])[] = [
    [{ name: 'what does more than list', scenarios: alone }],
    lanes,
  ];
  return groups
    .map((group) => group.filter(({ scenarios: those }) => those.length > 0))
    .filter((group) => group.length > 0);
}
