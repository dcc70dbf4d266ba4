import { expect, test } from 'vitest';
import { assay } from './testing/assay.ts';

test.for([
  { args: [], says: 'Usage: assay' },
  { args: ['serv'], says: 'Did you mean serve?' },
  { args: ['serve', '--prot', '1'], says: 'Did you mean --port?' },
  { args: ['serve', '--port', '70000'], says: 'It takes a port number' },
  { args: ['serve', '--state-delay', 'long'], says: 'It takes a duration in seconds' },
  { args: ['serve', '--fault', 'x'], says: 'Allowed choices are rate-limit' },
  { args: ['serve', '--api-key-env', 'NOWHERE'], says: 'NOWHERE, which is not set' },
  { args: ['serve', 'operand'], says: 'too many arguments' },
  { args: ['serve', '--', 'no-such-command'], says: 'there is no such command' },
])('assay $args is refused', async ({ args, says }) => {
  const { code, stdout, stderr } = await assay(args);
  expect(stderr).toContain(says);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
});

test.for([['--help'], ['serve', '--help'], ['help', 'serve']])('assay %s explains itself', async (args) => {
  const { code, stdout } = await assay(args);
  expect(code).toBe(0);
  expect(stdout).toContain('Usage: assay');
});

test('every command has an example', async () => {
  const { stdout } = await assay(['--help']);
  const names = [...stdout.matchAll(/^ {2}(\w+) .*\[options\]/gm)].map(([, name]) => name ?? '');
  expect(names.length).toBeGreaterThan(0);
  for (const name of names)
    expect((await assay([name, '--help'])).stdout).toContain(`Example:\n  assay ${name}`);
});
