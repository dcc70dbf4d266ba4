import { createHash } from 'node:crypto';
import type { Note } from '../exchange/trace.ts';
import type { Family } from '../schemas/index.ts';
import type { RunConfiguration } from './configuration.ts';
import { covers, meet } from './glob.ts';
import type { Scenario } from './scenario.ts';

type Skipped = Extract<Note, { note: 'scenario-skipped' }>;

/** Why a scenario does not run. */
export interface Skip {
  readonly scenario: string;
  readonly reason: Skipped['reason'];
  readonly detail: string;
}

export interface Selection {
  readonly run: readonly Scenario[];
  readonly skipped: readonly Skip[];
}

/**
 * Which scenarios run. Those of another shard are in neither list: the other shard tells of them.
 * `claimed` holds the families that the run judges.
 */
export function select(
  scenarios: readonly Scenario[],
  configuration: RunConfiguration,
  claimed: readonly Family[],
): Selection {
  const run: Scenario[] = [];
  const skipped: Skip[] = [];
  for (const scenario of scenarios.filter((one) => inShard(one.name, configuration.shard))) {
    const skip = why(scenario, configuration, claimed);
    if (skip === null) run.push(scenario);
    else skipped.push({ scenario: scenario.name, ...skip });
  }
  return { run, skipped };
}

function why(
  scenario: Scenario,
  configuration: RunConfiguration,
  claimed: readonly Family[],
): Omit<Skip, 'scenario'> | null {
  const { allow, models, apiKey } = configuration;
  if (!claimed.includes(scenario.family))
    return { reason: 'not-claimed', detail: `family ${scenario.family}` };
  const filter = filteredBy(scenario, configuration);
  if (filter !== null) return { reason: 'filtered', detail: filter };
  const cost = scenario.cost.find((one) => one !== 'free' && !allow.includes(one));
  if (cost !== undefined) return { reason: 'not-allowed', detail: `--allow ${cost}` };
  const role = scenario.roles.find((one) => models[one] === undefined);
  if (role !== undefined) return { reason: 'not-configured', detail: `model role ${role}` };
  if (scenario.key === true && apiKey === null) return { reason: 'not-configured', detail: 'API key' };
  return null;
}

/** The option that leaves a scenario out; null where none does. One that is named runs whatever it shows. */
function filteredBy({ name, shows }: Scenario, configuration: RunConfiguration): string | null {
  const { only, skip, scenario } = configuration;
  if (scenario.length > 0)
    return scenario.some((glob) => covers(glob, name)) ? null : `--scenario ${scenario.join(',')}`;
  if (only.length > 0 && !shows.some((shown) => only.some((glob) => meet(glob, shown))))
    return `--only ${only.join(',')}`;
  const skipped = skip.length > 0 && shows.every((shown) => skip.some((glob) => covers(glob, shown)));
  return skipped ? `--skip ${skip.join(',')}` : null;
}

function inShard(name: string, shard: RunConfiguration['shard']): boolean {
  if (shard === null) return true;
  return createHash('sha256').update(name).digest().readUInt32BE(0) % shard.of === shard.index - 1;
}
