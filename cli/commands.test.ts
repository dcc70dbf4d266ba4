import { Command } from 'commander';
import { expect, test } from 'vitest';
import { COMMANDS } from './commands.ts';
import { addWhole } from './program.ts';

test.for(COMMANDS)('$name is listed as it is', async (entry) => {
  const program = new Command();
  await addWhole(program, entry, { command: [], finish: () => {} });
  const [added] = program.commands;
  expect(added?.name()).toBe(entry.name);
  const args = added?.registeredArguments.map((one) => `<${one.name()}${one.variadic ? '...' : ''}>`);
  expect(args).toEqual(entry.args);
  expect((added?.options.length ?? 0) + entry.args.length).toBeGreaterThan(0);
  expect(added?.usage().includes('-- command')).toBe(entry.startsCommand === true);
});
