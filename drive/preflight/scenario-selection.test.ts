import { expect, test } from 'vitest';
import { configureForTarget } from '../configuration/configuration.ts';
import { readSettings } from '../configuration/settings.ts';
import { type Scenario, scenario } from '../scenario/scenario.ts';
import { selectScenarios } from './scenario-selection.ts';

function scenarioNamed(name: string, ...shows: string[]): Scenario {
  const plan = { name, family: 'files', operations: [], cost: ['free'], roles: [] } as const;
  return {
    ...scenario({ ...plan, run: async () => {} }),
    shows: shows.length === 0 ? null : new Set(shows),
  };
}

const all = [
  scenarioNamed('files.life', 'file:bytes#type', 'files.life.stays'),
  scenarioNamed('files.lists', 'file.list:#type'),
  scenarioNamed('files.other', 'x.y'),
];

function select(scenarios: readonly Scenario[], flags: Readonly<Record<string, string>>) {
  const given = {
    flags: { baseUrl: 'http://127.0.0.1:1', ...flags },
    env: {},
    file: null,
    readText: () => '',
  };
  const configuration = configureForTarget(readSettings(given), null);
  const { run, skipped } = selectScenarios(scenarios, configuration, ['files']);
  return { run: run.map(({ name }) => name), skipped };
}

test.for([
  [{}, ['files.life', 'files.lists', 'files.other']],
  [{ only: 'file:bytes#type' }, ['files.life']],
  // No scenario is known to show it, so any may.
  [{ only: 'files.new' }, ['files.life', 'files.lists', 'files.other']],
  [{ skip: 'file:*,files.*' }, ['files.lists', 'files.other']],
  [{ scenario: 'files.other' }, ['files.other']],
  [{ scenario: 'files.l*' }, ['files.life', 'files.lists']],
  // `--scenario` decides alone.
  [{ scenario: 'files.other', only: 'file:bytes#type' }, ['files.other']],
] as const)('the options %o run %j', ([flags, names]) => {
  const { run, skipped } = select(all, flags);
  expect(run).toEqual(names);
  expect(run.length + skipped.length).toBe(all.length);
  expect(skipped.every(({ reason }) => reason === 'filtered')).toBe(true);
});

test('a scenario with unknown evidence is filtered only by its name', () => {
  const more = [...all, scenarioNamed('files.new')];
  expect(select(more, { only: 'file:*' }).run).toEqual(['files.life', 'files.new']);
  expect(select(more, { only: 'files.unheard-of' }).run).toEqual(['files.new']);
  expect(select(more, { skip: '*' }).run).toEqual(['files.new']);
  expect(select(more, { scenario: 'files.life' }).run).toEqual(['files.life']);
});

test('shards together select every scenario once', () => {
  const names = Array.from({ length: 12 }, (_, i) => `files.s${i}`);
  const scenarios = names.map((name) => scenarioNamed(name));
  const shards = ['1/3', '2/3', '3/3'].map((shard) => select(scenarios, { shard }).run);
  expect(shards.flat().toSorted()).toEqual(names.toSorted());
  expect(shards.every((selected) => selected.length < names.length)).toBe(true);
});
