// Runs the shell commands in README.md and docs/, except those in NOT_RUN, and the programs of record-replay.md and
// vitest.md in a folder where assay is installed. Only base URLs and the name of a model are replaced; the environment
// limits long runs.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startServing } from '../cli/testing/run-assay.ts';
import { type Reference, serveReference } from '../reference/service.ts';
import { DOCUMENTS, findCodeBlock, listCommands, ROOT, readDocument } from './testing/documents.ts';
import { ReaderFolder } from './testing/reader-folder.ts';

const NOT_RUN: readonly { readonly matches: RegExp; readonly reason: string }[] = [
  {
    matches: /^npm ci && npm (start|test)/,
    reason: 'for a clone, in which .ci/run installs, starts and tests assay',
  },
  {
    matches: /^(npm start --|node dist\/cli\/main\.js) /,
    reason: 'for a clone: it rebuilds dist, and runs commands that other lines run by npx',
  },
  {
    matches: /^npm install --save-dev prom-client/,
    reason: 'scripts/install/action-and-image.ts installs prom-client and assay together',
  },
  { matches: /…/, reason: 'not complete; cli/tls.slow.test.ts runs it with a certificate' },
  {
    matches: /^npx assay serve --fault NAME/,
    reason: 'NAME is a placeholder; cli/faults.proof.test.ts runs all faults',
  },
  {
    matches: /examples\/embeddings|--extension assay:/,
    reason:
      'scripts/docs-extend.docs.test.ts and scripts/package.docs.test.ts run them with servers that offer them',
  },
  {
    matches: /parts\/\$JOB_COMPLETION_INDEX/,
    reason: 'scripts/traffic-recipes.docs.test.ts runs it with the parts of a cassette',
  },
  {
    matches: /^docker (build|run|buildx) /,
    reason: 'needs Docker; scripts/sites.docs.test.ts reads the Dockerfile',
  },
  { matches: /^(pip install|pytest)/, reason: 'cli/pytest.clients.test.ts runs pytest' },
  { matches: /^git ls-remote https:/, reason: 'asks a server on the internet' },
  {
    matches: /^npx assay watch .*--metrics/,
    reason: 'runs until interrupted: cli/metrics.slow.test.ts starts it',
  },
  { matches: /^npx assay serve --port/, reason: 'runs until interrupted: the test of its client starts it' },
];

const EXIT_CODES: readonly { readonly matches: RegExp; readonly codes: readonly number[] }[] = [
  // A shard alone need not exercise every claimed operation; the joined check has to conform.
  { matches: /--shard/, codes: [0, 2] },
  // A recorded client is judged with errata of a dialect that it does not need: it conforms, or shows too little.
  { matches: /^npx assay check cassettes\/recorded/, codes: [0, 2] },
  // The previous run targeted the embedded reference, and cleanup refuses the ledger of another target.
  { matches: /^npx assay cleanup --ledger/, codes: [0, 2] },
];

/** Limits a run of all families to one; `npm start` runs all of them. */
const ONE_FAMILY = { ASSAY_CLAIM: 'files' };

/** Limits a run of named families to the requirements of two kinds of objects. */
const TWO_OBJECTS = { ASSAY_ONLY: 'chat.completion:*,file:*' };

function limitsOf(line: string): Readonly<Record<string, string>> {
  if (!/assay (run|init)/.test(line) || line.includes('--resume')) return {};
  return line.includes('--claim') ? TWO_OBJECTS : ONE_FAMILY;
}

const RECORD_REPLAY = readDocument('docs/record-replay.md');
const VITEST = readDocument('docs/vitest.md');
const OPENAI = "import OpenAI from 'openai';\n";

let reference: Reference;
let folder: ReaderFolder;
/** The folder of an earlier run, whose report some documents expect. */
let earlier: ReaderFolder;
beforeAll(async () => {
  reference = await serveReference();
  earlier = new ReaderFolder({});
  const { code, output } = await earlier.runHere(`npx assay run --base-url ${reference.url}`, ONE_FAMILY);
  expect(code, output).toBe(0);
});
afterAll(async () => {
  earlier.remove();
  await reference.close();
});
beforeEach(() => {
  folder = new ReaderFolder({ URL: reference.url, JOB_COMPLETION_INDEX: '0' });
  for (const name of ['assay-report', 'last-release'])
    cpSync(join(earlier.path, 'assay-report'), join(folder.path, name), { recursive: true });
  for (const name of ['day/00', 'day/01'])
    cpSync(join(earlier.path, 'assay-report/cassette'), join(folder.path, name), { recursive: true });
  cpSync(join(ROOT, 'cassettes/assistant-session'), join(folder.path, 'cassettes/recorded'), {
    recursive: true,
  });
  cpSync(join(ROOT, 'judge/dialects/openai.json'), join(folder.path, 'my-dialect.json'));
  folder.write('client.mjs', findCodeBlock(RECORD_REPLAY, 'js', '// client.mjs'));
});
afterEach(() => folder.remove());

function pointAtReference(text: string): string {
  return text
    .replaceAll(/http:\/\/127\.0\.0\.1:8000\/v1|https:\/\/service\.example\/v1/g, reference.url)
    .replaceAll('my-model', 'chat-large');
}

/** Commands depend on each other only within a section. */
const sections = DOCUMENTS.flatMap((path) =>
  readDocument(path)
    .split(/^(?=## )/m)
    .map((section) => ({
      section: `${path} ${/^#+ .*/.exec(section)?.[0] ?? ''}`,
      lines: listCommands(section).filter((line) => !NOT_RUN.some(({ matches }) => matches.test(line))),
    })),
).filter(({ lines }) => lines.length > 0);

test('every exception is needed', () => {
  const all = DOCUMENTS.flatMap((path) => listCommands(readDocument(path)));
  const unneeded = [...NOT_RUN, ...EXIT_CODES].filter(
    ({ matches }) => !all.some((line) => matches.test(line)),
  );
  expect(unneeded).toEqual([]);
});

describe('commands run as written', () => {
  test.each(sections)('in $section', async ({ lines }) => {
    for (const line of lines) {
      const { code, output } = await folder.runHere(pointAtReference(line), limitsOf(line));
      const codes = EXIT_CODES.find(({ matches }) => matches.test(line))?.codes ?? [0];
      expect(codes, `${line}\n${output}`).toContain(code);
    }
  });
});

describe('programs', () => {
  test('a client lists the models of `assay serve`', async () => {
    expect(listCommands(RECORD_REPLAY)).toContain('npx assay serve --port 8000');
    const service = await startServing(['serve', '--port', '0']);
    try {
      const program = findCodeBlock(RECORD_REPLAY, 'js', "baseURL: 'http://127.0.0.1:8000/v1'");
      folder.write('models.mjs', program.replace('http://127.0.0.1:8000/v1', service.url));
      const { code, output } = await folder.run('node models.mjs');
      expect(output).toContain('chat-large');
      expect(code).toBe(0);
    } finally {
      await service.stop();
    }
  });

  test('the test in the document passes while it records, and when it is replayed', async () => {
    const program = findCodeBlock(RECORD_REPLAY, 'js', 'cassetteTest');
    folder.write('list.test.js', `${OPENAI}import { expect } from 'vitest';\n${pointAtReference(program)}`);
    for (const environment of [{ ASSAY_RECORD: '1', SERVICE_KEY: 'a-key-of-the-service' }, {}]) {
      const { code, output } = await folder.run(`${prepareVitest()} list.test.js`, environment);
      expect(output).toContain('1 passed');
      expect(code).toBe(0);
    }
  });

  test('nock serves a cassette in process', async () => {
    folder.write('list.mjs', `${OPENAI}await new OpenAI({ apiKey: 'none' }).models.list();\n`);
    await folder.runHere(
      `npx assay record --base-url ${reference.url} --cassette cassettes/session -- node list.mjs`,
    );
    folder.write('nocked.mjs', OPENAI + findCodeBlock(RECORD_REPLAY, 'js', 'toNock'));
    expect(await folder.run('node nocked.mjs')).toEqual({ code: 0, output: '0\n' });
  });

  test('the suite passes in vitest', async () => {
    folder.write(
      'conformance.test.js',
      pointAtReference(findCodeBlock(VITEST, 'js', '// conformance.test.js')),
    );
    folder.write(
      'server.js',
      `import { startReference } from 'assay';
export async function startServer() {
  const { url, close } = await startReference();
  return { port: new URL(url).port, close };
}
`,
    );
    const { code, output } = await folder.run(`${prepareVitest()} conformance.test.js`, TWO_OBJECTS);
    expect(output).toMatch(/Tests {2}\d+ passed/);
    expect(code).toBe(0);
  });

  test('a program gets the report as a value', async () => {
    folder.write('run.mjs', pointAtReference(findCodeBlock(VITEST, 'js', 'runConformance')));
    const { code, output } = await folder.run('node run.mjs', TWO_OBJECTS);
    expect(output).toContain('conforms');
    expect(code).toBe(0);
  });
});

/**
 * Writes the configuration of vitest into the folder; returns the command. An installed package is in `node_modules`,
 * which vitest leaves to node, so the compiled one must be external too; otherwise vitest would transform it.
 */
function prepareVitest(): string {
  folder.write(
    'vitest.config.js',
    'export default { test: { server: { deps: { external: [/\\/\\.compiled\\//] } } } };\n',
  );
  return `'${process.execPath}' '${join(ROOT, 'node_modules/vitest/vitest.mjs')}' run`;
}
