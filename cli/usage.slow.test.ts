import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COMMAND_NAMES } from './program.ts';
import { launchAssay, runAssay, spawnAssay } from './testing/run-assay.ts';

test.for([
  { args: [], says: 'Usage: assay' },
  { args: ['serv'], says: 'Did you mean serve?' },
  { args: ['serve', '--prot', '1'], says: 'Did you mean --port?' },
  { args: ['serve', '--port', '70000'], says: 'It takes a port number' },
  { args: ['serve', '--state-delay', 'long'], says: 'It takes a duration in seconds' },
  {
    args: ['serve', '--fault', 'models-none-listet'],
    says: "Unknown fault 'models-none-listet'; the nearest are models-none-listed, ",
  },
  {
    args: ['serve', '--choices', 'chat.stop.kep=kept'],
    says: "Unknown choice: 'chat.stop.kep' (did you mean chat.stop.kept?). Run assay serve --choices list to see all choices.",
  },
  { args: ['serve', '--choices', 'constructor=a'], says: "Unknown choice: 'constructor'. Run assay serve" },
  {
    args: ['serve', '--choices', 'errors.body.form=text,chat.stop.kept=kep'],
    says: "Unknown alternative of chat.stop.kept: 'kep' (did you mean kept?). It has: 'not in the content', 'kept'.",
  },
  { args: ['serve', '--choices', 'random'], says: 'it takes contrary, random:SEED or ID=ALTERNATIVE' },
  { args: ['serve', '--api-key-env', 'NOWHERE'], says: 'NOWHERE, which is not set' },
  { args: ['serve', 'operand'], says: 'too many arguments' },
  { args: ['serve', '--', 'no-such-command'], says: 'the command does not exist' },
  { args: ['list', '--family', 'chta'], says: 'did you mean chat?' },
  {
    args: ['run', '--config', 'mine.json'],
    says: "error: unknown option '--config'\n(assay.config.ts, .mjs or .json of the working directory is read without an option)\n(assay run --help",
  },
  {
    args: ['run', '--api-key', 'sk-123'],
    says: "error: unknown option '--api-key'\n(the key is read from ASSAY_API_KEY; --api-key-env NAME names another variable)\n(assay run",
  },
  {
    args: ['serve', "--api-key=sk-'1\n2"],
    says: "error: unknown option '--api-key'\n(the key is read from the variable that --api-key-env NAME names)\n(assay serve",
  },
  { args: ['run', '--api-keys=sk-123'], says: "error: unknown option '--api-keys'\n" },
  { args: ['--api-key', 'constructor', 'run'], says: "error: unknown option '--api-key'\n" },
  { args: ['list', '--api-key=sk-123'], says: "error: unknown option '--api-key'\n(assay list" },
  { args: ['list', '--kind', 'x'], says: 'Allowed choices are schema' },
  { args: ['list', '--', 'command'], says: 'assay list runs no command' },
  {
    args: ['run', '--only', 'chat.strem.*'],
    says: '--only chat.strem.* matches no requirement or choice; the nearest are chat.stream.',
  },
  { args: ['run', '--scenario', 'batches.mixd'], says: 'the nearest are batches.mixed' },
  { args: ['show', 'e3'], says: 'it takes a cassette, then the exchanges to print' },
  { args: ['show', 'cassettes/assistant-session', 'e99'], says: 'has no exchange e99: it has e1 to e15' },
  {
    args: ['check', 'cassettes/assistant-session', '--partial', 'x', '--baseline-write', 'y'],
    says: '--partial excludes --baseline-write. Give --baseline-write to assay merge',
  },
  { args: ['explain', 'file:byte#type'], says: 'the nearest are file:bytes#type, ' },
  { args: ['explain'], says: "missing required argument 'id'" },
  { args: ['check'], says: "missing required argument 'cassette'" },
  { args: ['check', 'no-such-folder'], says: 'no-such-folder does not contain a cassette' },
  {
    args: ['check', 'cassettes', '--fail-on', 'may'],
    says: '--fail-on is "may"; it takes one of must, should, never',
  },
  {
    args: ['check', 'cassettes', '--report', 'xml'],
    says: '--report is "xml"; it takes one of terminal, json',
  },
  {
    args: ['compare', 'no-such-file', 'package.json'],
    says: 'no-such-file does not exist. Name the report.json of a run, or its folder.',
  },
  { args: ['compare', 'package.json', 'package.json'], says: 'package.json is not a report of assay' },
  {
    args: ['record', '--base-url', 'http://127.0.0.1:1'],
    says: "required option '--cassette <dir>' not specified",
  },
  {
    args: ['record', '--base-url', 'http://127.0.0.1:1', '--cassete', 'x', '--', 'true'],
    says: "error: unknown option '--cassete'\n(Did you mean --cassette?)",
  },
  {
    args: ['record', '--base-url', 'nowhere', '--cassette', 'x'],
    says: 'The base URL "nowhere" is not a URL',
  },
  { args: ['replay', 'no-such-folder'], says: 'no-such-folder does not contain a cassette' },
  { args: ['replay', 'cassettes', '--chunking', 'bits'], says: '--chunking bits: it takes wire' },
  { args: ['replay', 'cassettes', '--pace', 'fast'], says: 'It takes recorded, instant, or xN' },
  {
    args: ['run', '--base-url', 'localhost:8000'],
    says: 'The base URL "localhost:8000" is not a URL; an example: http://localhost:8000',
  },
  { args: ['run', '--concurrency', 'many'], says: '--concurrency is "many"; it takes a whole number' },
  { args: ['run', '--claim', 'chta'], says: 'the nearest is chat' },
  { args: ['run', '--model', 'chat'], says: 'it takes name=value' },
  { args: ['run', '--api-key-env', 'NOWHERE'], says: 'NOWHERE, which is not set' },
  { args: ['run', '--only', '@no-such-file'], says: 'cannot read no-such-file' },
  {
    args: ['run', '--timeout', '86401'],
    says: '--timeout is "86401"; it takes a number of seconds, 0.1 to 86400',
  },
  { args: ['run', '--wait-for', '1e12'], says: 'it takes a number of seconds, 0 to 86400' },
  { args: ['verify', 'x', '--base-url', 'http://127.0.0.1:1', '--timeout', '1e9'], says: 'up to 86400' },
  {
    args: ['run', '--report-dir', 'package.json'],
    says: '--report-dir package.json: nothing can be written there',
  },
  {
    args: ['run', '--report-dir', 'package.json/x'],
    says: '--report-dir package.json/x: nothing can be written',
  },
  { args: ['run', '--report-dir', '/dev/null/x'], says: 'Name a writable folder.' },
  {
    args: ['check', 'cassettes/assistant-session', '--report-dir', 'package.json'],
    says: 'nothing can be written there',
  },
  { args: ['run', '--baseline', 'cassettes'], says: 'cassettes is a directory. --baseline takes a file' },
  { args: ['run', '--baseline', 'package.json'], says: 'package.json is not a baseline' },
  { args: ['replay', 'cassettes/assistant-session', '--redact', 'x'], says: 'x is not a redaction rule' },
  { args: ['cleanup', '--ledger', 'no-such-file'], says: 'no-such-file: the file does not exist.' },
  {
    args: ['cleanup', '--ledger', 'package.json', '--header', 'x'],
    says: '--header is invalid (not shown, as it may be secret); it takes name:value',
  },
  { args: ['run', '--baseline', 'no-such-file'], says: 'The baseline no-such-file does not exist.' },
  {
    args: ['har', 'cassettes/assistant-session', '--out', 'x.har', '--api-root', 'http://localhost/api'],
    says: '--api-root and --base-url only apply to files of other recorders',
  },
  { args: ['matrix', 'CHANGELOG.md'], says: 'CHANGELOG.md is not valid JSON' },
])('assay $args is rejected', async ({ args, says }) => {
  const { code, stdout, stderr } = await runAssay(args);
  expect(stderr).toContain(says);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
});

test.skipIf(!existsSync('/dev/full'))('a full disk is reported as such', async () => {
  const { code, stderr } = await runAssay([
    'check',
    'cassettes/assistant-session',
    '--baseline-write',
    '/dev/full',
  ]);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('no space is left on the disk'),
  });
});

test('a reader that closes the pipe early breaks nothing', async () => {
  const child = launchAssay(['list', '--format', 'json']);
  child.stdout.destroy();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('the process ends with the exit code of its command', async () => {
  const { code, stdout, stderr } = await spawnAssay(['run', '--base-ulr', 'http://127.0.0.1:1']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('Did you mean --base-url?');
});

test.for(['--help', 'serve --help', 'help serve'])('assay %s prints its help', async (words) => {
  const { code, stdout } = await runAssay(words.split(' '));
  expect(code).toBe(0);
  expect(stdout).toContain('Usage: assay');
});

test('every command has an example', async () => {
  for (const name of COMMAND_NAMES)
    expect((await runAssay([name, '--help'])).stdout).toContain(`Example:\n  assay ${name}`);
});
