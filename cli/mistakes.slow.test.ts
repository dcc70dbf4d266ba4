import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCassette } from '../exchange/cassette/cassette-writer.ts';
import { traceHeader } from '../exchange/testing/trace-header.ts';
import { runAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-mistakes-'));
const session = 'cassettes/assistant-session';

beforeAll(() => {
  writeFileSync(join(folder, 'text'), 'hello\n\u001b[2J');
  writeFileSync(join(folder, 'session.har'), '{"log":{"entries":[]}}');
  mkdirSync(join(folder, 'report'));
  mkdirSync(join(folder, 'empty'));
  createCassette(join(folder, 'void'), traceHeader()).finish();
});
afterAll(() => rmSync(folder, { recursive: true }));

const ESCAPED_TEXT = 'hello\\n\\u001b[2J';

/** `{}` is replaced by the path of `folder`. */
const MISTAKES: readonly (readonly [line: string, message: string])[] = [
  [
    `check ${session}/cassette.jsonl`,
    `is part of a cassette. Name the folder of the cassette instead: ${session}.`,
  ],
  [
    `replay ${session}/cassette.jsonl`,
    `a cassette is a folder. Name the folder that contains it: ${session}.`,
  ],
  ['replay {}/session.har', 'is a file; a cassette is a folder. Name one; assay har converts a HAR file.'],
  [
    'record --base-url http://127.0.0.1:1 --cassette {}/text',
    '{}/text is a file; a cassette is a folder. Record into another place.',
  ],
  ['verify {}/text --base-url http://127.0.0.1:1', '{}/text is a file; a cassette is a folder.'],
  [
    'serve --api-key-env constructor',
    'takes the name of an environment variable, and no variable has the given name',
  ],
  ['check {}/empty', '{}/empty does not contain a cassette: {}/empty/cassette.jsonl is missing. Record one'],
  [
    'check {}',
    '{} does not contain a cassette: {}/cassette.jsonl is missing. Its folders contain some: {}/void.',
  ],
  ['check {}/text', `{}/text is not a HAR file: Unexpected token 'h', "${ESCAPED_TEXT}" is not valid JSON.`],
  [
    'run --baseline {}/text',
    `{}/text is not valid JSON: Unexpected token 'h', "${ESCAPED_TEXT}" is not valid JSON`,
  ],
  [
    'run --dialect {}/text',
    `{}/text is not valid JSON: Unexpected token 'h', "${ESCAPED_TEXT}" is not valid JSON`,
  ],
  [
    'compare {}/text {}/text',
    `{}/text is not valid JSON: Unexpected token 'h', "${ESCAPED_TEXT}" is not valid JSON`,
  ],
  [
    'cleanup --ledger {}/report',
    'Cannot read the ledger {}/report: it is a directory. Name the file ledger.jsonl in',
  ],
  ['list --only chat.strem.*', '--only chat.strem.* matches nothing; the nearest are chat.stream.'],
  ['list --section 9', '--section 9: no section title begins with this. The titles are 1 '],
  [
    'list --family chat --kind exclusion --only file:*',
    'leave out one of --section, --family, --side, --kind and --only.',
  ],
  ['run --timeout 1m', '--timeout is "1m"; it takes a number of seconds, 0.1 or more.'],
  ['show {}/void e1', '{}/void has no exchange e1: it is empty.'],
  [
    'verify {}/void --base-url http://127.0.0.1:1',
    'No request of {}/void could be sent: it contains no exchange of a client.',
  ],
  ['merge {}/none', '{}/none does not exist. Name a file that assay check --partial wrote.'],
  ['compare {}/none {}/none', '{}/none does not exist. Name the report.json of a run, or its folder.'],
  ['matrix one={}/a one={}/b', 'Two reports are called one. Give each a name of its own: NAME=PATH.'],
  ['har {}/none --out {}/out', '{}/none does not exist. Name a cassette folder, or a file of another'],
  ['list --extension {}/none.json', '{}/none.json cannot be read: ENOENT: no such file or directory'],
  ['check {}/void --dialect ./none.json', 'There is no dialect file ./none.json; name one, or '],
  ['check {}/void --dialect {}/void', 'There is no dialect file {}/void; name one, or '],
  ['scan {}/none', '{}/none does not exist. Name a cassette folder, or a text file.'],
];

test.for(MISTAKES)(
  'assay %s exits with code 2 and one line that names the mistake',
  async ([line, message]) => {
    const { code, stderr } = await runAssay(line.split(' ').map((word) => word.replace('{}', folder)));
    expect(stderr).toContain(message.replaceAll('{}', folder));
    // For a wrong option, a second line names the help of the command.
    const lines = stderr
      .trimEnd()
      .split('\n')
      .filter((text) => !/^\(assay \w+ --help lists its options\)$/.test(text));
    expect([code, lines.length]).toEqual([2, 1]);
  },
);

test.for([
  'run --foo',
  'run --claim chta',
  'run --max-requests x',
  'run --report foo',
  'serve --fault nope',
  'replay',
  'compare one',
  'record',
  'list --only chat.strem.*',
])('the error of assay %s names the help of that command, and of no other', async (line) => {
  const words = line.split(' ');
  const { code, stderr } = await runAssay(words);
  expect(code).toBe(2);
  expect(stderr.trimEnd().split('\n').at(-1)).toBe(`(assay ${words[0]} --help lists its options)`);
  expect(stderr.match(/--help/g)).toHaveLength(1);
});

test.for([
  [
    'record --base-url http://127.0.0.1:1 --cassette x node client.mjs',
    '(write the command to run after --, as in',
  ],
  ['run http://127.0.0.1:8000/v1', '(give the target with --base-url)'],
  [`replay ${session} --volatile metadata/id`, 'It takes a JSON pointer, such as /metadata/id'],
  [`replay ${session} --normalise dates`, '"dates" cannot be normalised. Write date, uuid, a JSON pointer'],
  [`replay ${session} --max-age 7`, '--max-age 7: it takes a number with m, h, d or w, such as 7d.'],
  [
    `verify ${session} --base-url http://127.0.0.1:1 --ignore id`,
    'It takes a JSON pointer, such as /metadata/id',
  ],
])('assay %s exits with code 2 and says what to write instead', async ([line = '', advice]) => {
  const { code, stderr } = await runAssay(line.split(' '));
  expect(stderr).toContain(advice);
  expect(code).toBe(2);
});

test.for([
  'record --base-url http://127.0.0.1:1 --cassette {}/unused',
  `replay ${session} --no-strict`,
  `replay ${session} --strict`,
  'watch --base-url http://127.0.0.1:1 --report json --report-dir {}/watched',
])(
  'if a command does not use the proxy of assay %s, assay says so, exits with code 2 and records no cassette',
  async (line) => {
    const words = line.split(' ').map((word) => word.replace('{}', folder));
    const { code, stderr } = await runAssay([...words, '--', process.execPath, '-e', '']);
    expect(stderr).toContain(
      'The proxy received no request: does the client take its base URL from OPENAI_BASE_URL or',
    );
    expect(code).toBe(2);
    expect(existsSync(join(folder, 'unused'))).toBe(false);
  },
);

test.for([
  'record --base-url http://127.0.0.1:1 --cassette {}/crashed',
  `replay ${session} --no-strict`,
  'watch --base-url http://127.0.0.1:1 --report json --report-dir {}/watch-crashed',
])(
  'a command that crashes under assay %s determines the exit code, and gets no advice on its base URL',
  async (line) => {
    const words = line.split(' ').map((word) => word.replace('{}', folder));
    const { code, stderr } = await runAssay([...words, '--', process.execPath, '-e', 'process.exit(3)']);
    expect(stderr).toContain('the command ended with exit code 3 before it sent one.');
    expect(stderr).not.toContain('OPENAI_BASE_URL');
    expect(code).toBe(3);
  },
);

test.for([
  ['no-such-command', 'the command does not exist'],
  ['', `The argument 'file' cannot be empty. Received ''`],
] as const)('if assay watch cannot start the command %j, it reports only that', async ([command, why]) => {
  const dir = mkdtempSync(join(folder, 'unstarted-'));
  const flags = ['--base-url', 'http://127.0.0.1:1', '--report-dir', dir];
  const { code, stdout, stderr } = await runAssay(['watch', ...flags, '--', command]);
  expect([code, stdout]).toEqual([2, '']);
  const [url = '', ...lines] = stderr.split('\n');
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
  expect(lines).toEqual([`Cannot start "${command}": ${why}.`, '']);
  expect(existsSync(join(dir, 'report.json'))).toBe(false);
});

test.for([
  [['check', session, '--report', ''], 'It is empty'],
  [['check', session, '--extension', ''], 'It is empty'],
  [['check', session, '--extension', folder], 'is a folder. Name the extension.json in it'],
  [['replay', session, '--normalise', '/a~3', '--', 'true'], '"/a~3" cannot be normalised'],
] as const)('an unusable value is rejected: %j', async ([words, message]) => {
  const { code, stderr } = await runAssay([...words]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test('a key given to --auth in place of its variable is rejected, and not printed', async () => {
  const flags = ['--base-url', 'http://127.0.0.1:1', '--cassette', join(folder, 'key')];
  const { code, stdout, stderr } = await runAssay(['record', ...flags, '--auth', 'sk-mistaken-4217']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('--auth takes env:NAME')]);
  expect(stdout + stderr).not.toContain('sk-mistaken');
});

test.for([
  ['--report terminal,github', true],
  ['--report=github', true],
  ['--report=terminal,\n\tgithub', true],
  ['--report terminal', false],
] as const)('without the key, run %s ends with an annotation: %s', async ([flags, isAnnotated]) => {
  const line = `run --base-url http://127.0.0.1:1 --api-key-env NOT_THERE ${flags}`;
  const { code, stdout, stderr } = await runAssay(line.split(' '), { env: { NOT_THERE: '' } });
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('--api-key-env names NOT_THERE, which is not set.\n'),
  ]);
  expect(stdout).toBe(
    isAnnotated
      ? '::error title=assay could not run::--api-key-env names NOT_THERE, which is not set.\n'
      : '',
  );
});

test('a run through another kind of proxy is rejected before it records anything', async () => {
  const dir = join(folder, 'no-proxy');
  const { code, stderr } = await runAssay(
    ['run', '--base-url', 'http://service.test/v1', '--report-dir', dir],
    { env: { HTTP_PROXY: 'socks5://127.0.0.1:9' } },
  );
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^HTTP_PROXY does not name a usable proxy/)]);
  expect(existsSync(join(dir, 'cassette'))).toBe(false);
});
