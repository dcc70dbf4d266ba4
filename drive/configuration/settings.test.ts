import { describe, expect, test } from 'vitest';
import { ConfigurationError, type Settings } from './configuration.ts';
import { readSettings, type SettingSources } from './settings.ts';
import { OPTION_NAMES } from './variables.ts';

function read(sources: Partial<SettingSources>): Settings {
  return readSettings({ flags: {}, env: {}, file: null, readText: () => '', ...sources });
}

function findProblem(sources: Partial<SettingSources>): string {
  try {
    read(sources);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  return 'no error';
}

function failToRead(): never {
  throw new Error('ENOENT');
}

describe('reading settings', () => {
  test('a flag takes precedence over the environment, and the environment over the file', () => {
    const file = { name: 'assay.config.json', values: { timeout: 1, concurrency: 2, maxRequests: 3 } };
    const env = { ASSAY_TIMEOUT: '10', ASSAY_CONCURRENCY: '20' };
    const settings = read({ flags: { timeout: '100' }, env, file });
    expect([settings.timeout, settings.concurrency, settings.maxRequests]).toEqual([100, 20, 3]);
  });

  test('an empty variable counts as unset', () => {
    expect(read({ env: { ASSAY_BASE_URL: '' } }).baseUrl).toBeNull();
  });

  test('a base URL is completed with /v1', () => {
    expect(read({ flags: { baseUrl: 'http://localhost:8000' } }).baseUrl).toBe('http://localhost:8000/v1');
  });

  test('the key is read from the named variable, which must be set, else from the usual ones', () => {
    const env = { ASSAY_API_KEY: 'a', OPENAI_API_KEY: 'o', MINE: 'm' };
    expect(read({ env }).apiKey).toBe('a');
    expect(read({ env: { OPENAI_API_KEY: 'o' } }).apiKey).toBe('o');
    expect(read({ env, flags: { apiKeyEnv: 'MINE' } }).apiKey).toBe('m');
    expect(findProblem({ flags: { apiKeyEnv: 'NONE' } })).toBe('--api-key-env names NONE, which is not set.');
    expect(findProblem({ flags: { apiKeyEnv: 'constructor' } })).toContain('no variable has the given name');
  });

  test('a blank key counts as unset', () => {
    expect(read({ env: { ASSAY_API_KEY: ' ', OPENAI_API_KEY: 'o\n' } }).apiKey).toBe('o');
    expect(read({ env: { ASSAY_API_KEY: '\n' } }).apiKey).toBeNull();
    expect(findProblem({ env: { MINE: ' ' }, flags: { apiKeyEnv: 'MINE' } })).toBe(
      '--api-key-env names MINE, which is not set.',
    );
  });

  test('lists are read from arrays, from texts with commas, and from files with comments', () => {
    const readText = (path: string): string =>
      path === 'known.txt' ? 'chat.*  # slow\n\n#all\nfile:*\n' : '';
    expect(read({ flags: { only: ['@known.txt', 'model:*,x'] }, readText }).only).toEqual([
      'chat.*',
      'file:*',
      'model:*',
      'x',
    ]);
    expect(read({ flags: { skip: '@a' }, readText: () => 'a # b\r\n# c\r\n\r\nd\r\n' }).skip).toEqual([
      'a',
      'd',
    ]);
    expect(read({ env: { ASSAY_CLAIM: 'chat, files' } }).claim).toEqual(['chat', 'files']);
  });

  test('the claim auto is not read as a list', () => {
    expect(read({ flags: { claim: 'auto' } }).claim).toBe('auto');
  });

  test('NO_COLOR turns colours off, unless it is empty', () => {
    expect(
      [read({}), read({ env: { NO_COLOR: '1' } }), read({ env: { NO_COLOR: '' } })].map(({ color }) => color),
    ).toEqual([true, false, true]);
  });

  test('a model given without a role sets modelName, and one with a role sets models', () => {
    expect(read({ flags: { model: ['my-model'] } })).toMatchObject({ models: {}, modelName: 'my-model' });
    expect(read({ flags: { model: ['chat=a'] } })).toMatchObject({ models: { chat: 'a' }, modelName: null });
  });

  test('models and headers are read as pairs', () => {
    const flags = { model: ['chat=a', 'vision=b:c'], header: ['X-One: 1: 2', 'X-Two:2'] };
    const { models, headers } = read({ flags });
    expect(models).toEqual({ chat: 'a', vision: 'b:c' });
    expect(headers).toEqual([
      ['X-One', '1: 2'],
      ['X-Two', '2'],
    ]);
    expect(read({ file: { name: 'f', values: { model: { chat: 'x' } } } }).models).toEqual({ chat: 'x' });
  });
});

describe('an invalid value is named with its place and the accepted values', () => {
  const cases: [Partial<SettingSources>, string][] = [
    [{ flags: { timeout: 'soon' } }, '--timeout is "soon"; it takes a number of seconds, 0.1 or more.'],
    [
      { env: { ASSAY_MAX_REQUESTS: '1.5' } },
      'ASSAY_MAX_REQUESTS is "1.5"; it takes a whole number, 1 or more.',
    ],
    [{ flags: { claim: 'chatt' } }, 'the nearest is chat'],
    [{ flags: { claim: 'all,chat' } }, '--claim is "all"; it takes all or auto alone, or families'],
    [{ flags: { claim: '' } }, '--claim is ""; it takes all or auto alone, or families'],
    [{ flags: { model: 5 } }, '--model is 5; it takes the id of a model'],
    [{ flags: { allow: 'token' } }, '(did you mean tokens?)'],
    [{ flags: { model: ['chats=x'] } }, 'role of --model is "chats"'],
    [{ flags: { model: ['chat'] } }, 'it takes name=value'],
    [{ flags: { model: ['chat='] } }, '--model is "chat="; it takes name=value'],
    [{ flags: { shard: '5/4' } }, 'i/n with 1 ≤ i ≤ n'],
    [{ flags: { betaHeader: 'Bad Header' } }, 'the name of a header field'],
    [
      { flags: { baseUrl: 'localhost:80' } },
      '--base-url: The base URL "localhost:80" is not a URL; an example: http://localhost:80',
    ],
    [
      { file: { name: 'assay.config.json', values: { timout: 1 } } },
      'Unknown option "timout" in assay.config.json (did you mean timeout?)',
    ],
    [{ file: { name: 'assay.config.json', values: [] } }, 'assay.config.json must contain a JSON object'],
    [{ flags: { only: '@gone' }, readText: failToRead }, '--only: cannot read gone (ENOENT)'],
  ];
  test.each(cases)('%j is rejected with: %s', (sources, expected) => {
    expect(findProblem(sources)).toContain(expected);
  });

  test('a value that JSON cannot represent is printed as in a program', () => {
    const file = { name: 'assay.config.mjs', values: { timeout: 5n } };
    expect(findProblem({ file })).toContain(
      'timeout in assay.config.mjs is 5n; it takes a number of seconds',
    );
  });
});

test.each<[Partial<SettingSources>, string]>([
  [
    { flags: { header: ['Authorization Bearer sk-1'] } },
    '--header is invalid (not shown, as it may be secret); it takes name:value.',
  ],
  [{ env: { ASSAY_HEADER: 'sk-1' } }, 'ASSAY_HEADER is invalid (not shown'],
  [
    { flags: { header: ['Authorization Basic sk-1:x'] } },
    '--header: The name of a header field is invalid (not shown',
  ],
  [
    { flags: { header: ['X-Key: sk-1\u20ac'] } },
    '--header: The value of X-Key contains characters that no header field may',
  ],
  [
    { file: { name: 'a.json', values: { header: [{ authorization: 'sk-1' }] } } },
    'header in a.json is invalid (not shown',
  ],
  [
    { flags: { apiKeyEnv: 'sk-1' } },
    '--api-key-env takes the name of an environment variable, and no variable has',
  ],
  [{ flags: { apiKeyEnv: 'gsk_Ab12' } }, '--api-key-env takes the name of an environment variable'],
  [{ flags: { secondKeyEnv: 'sk-1' } }, '--second-key-env takes the name of an environment variable'],
])('the message about %j shows no secret', (sources, expected) => {
  const problem = findProblem(sources);
  expect(problem).toContain(expected);
  for (const secret of ['sk-1', 'gsk_Ab12']) expect(problem).not.toContain(secret);
});

test('an unknown option in a file is an error that lists each option once, and suggests format for version', () => {
  const file = { name: 'assay.config.json', values: { version: 1 } };
  expect(findProblem({ file })).toContain(
    'Unknown option "version" in assay.config.json (did you mean format?). The options are',
  );
  const names = findProblem({ file }).split('The options are ')[1]?.slice(0, -1).split(', ');
  expect(names).toEqual(['format', ...new Set(OPTION_NAMES)]);
});

test('an unknown option is an error if a program passes it, but not among the flags of a command', () => {
  const sources = { flags: { claims: ['chat'] }, env: {}, file: null, readText: () => '' };
  expect(() => readSettings({ ...sources, flagsSource: 'the configuration' })).toThrow(
    'Unknown option "claims" in the configuration (did you mean claim?)',
  );
  // The parser of the command line has already rejected unknown flags.
  expect(() => readSettings(sources)).not.toThrow();
});
