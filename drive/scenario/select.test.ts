import { expect, test } from 'vitest';
import { configureForTarget } from '../configuration/configuration.ts';
import { readSettings } from '../configuration/settings.ts';
import { type Scenario, scenario } from './scenario.ts';
import { selectScenarios } from './select.ts';

function of(name: string, ...shows: string[]): Scenario {
  return scenario({
    name,
    family: 'files',
    operations: [],
    shows,
    cost: ['free'],
    roles: [],
    run: async () => {},
  });
}

const all = [
  of('files.life', 'file:*', 'files.life.*'),
  of('files.lists', 'file.list:*'),
  of('files.other', 'x.y'),
];

test.for([
  [{}, ['files.life', 'files.lists', 'files.other']],
  [{ only: 'file:bytes#type' }, ['files.life']],
  [{ skip: 'file:*,files.*' }, ['files.lists', 'files.other']],
  [{ scenario: 'files.other' }, ['files.other']],
  [{ scenario: 'files.l*' }, ['files.life', 'files.lists']],
  // What a scenario met by the way is met again only by the scenario that is named.
  [{ scenario: 'files.other', only: 'file:bytes#type' }, ['files.other']],
] as const)('%o runs %j', ([flags, names]) => {
  const given = {
    flags: { baseUrl: 'http://127.0.0.1:1', ...flags },
    env: {},
    file: null,
    readText: () => '',
  };
  const { run, skipped } = selectScenarios(all, configureForTarget(readSettings(given), null), ['files']);
  expect(run.map(({ name }) => name)).toEqual(names);
  expect(run.length + skipped.length).toBe(all.length);
  expect(skipped.every(({ reason }) => reason === 'filtered')).toBe(true);
});
