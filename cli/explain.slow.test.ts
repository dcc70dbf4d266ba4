import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startReference } from '../pipeline/faulty-reference/faulty-reference.ts';
import { runAssay } from './testing/run-assay.ts';

test('the explanation of a requirement shows its level, section, command, example and killed mutants', async () => {
  const { code, stdout } = await runAssay(['explain', 'file:bytes#type']);
  expect(code).toBe(0);
  for (const text of [
    'MUST, stated',
    'schema',
    '2 File',
    "assay run --only 'file:bytes#type'",
    'passes',
    'fails: null instead',
    'mutants (traces broken on purpose) killed: null ',
  ]) {
    expect(stdout).toContain(text);
  }
});

test('an empty ASSAY_BASE_URL does not name a target', async () => {
  const { stdout } = await runAssay(['explain', 'file:bytes#type', '--no-example'], {
    env: { ASSAY_BASE_URL: '' },
  });
  expect(stdout).toContain("npx assay run --only 'file:bytes#type'");
});

test('the explanation of a choice says what most services do, and how to pin it', async () => {
  const { code, stdout } = await runAssay(['explain', 'chat.finish-reason.at-limit']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ +open +length or stop$/m);
  expect(stdout).toMatch(/^ +usual +length$/m);
  expect(stdout).toContain(
    ' {"format":1,"name":"my-service","choices":{"chat.finish-reason.at-limit":"length"}} in a file that --dialect names\n',
  );
});

test('the command for a requirement of clients selects it alone', async () => {
  const { stdout } = await runAssay(['explain', 'client.ids.given', '--no-example']);
  expect(stdout).toContain('npx assay client --only client.ids.given -- COMMAND\n');
});

test('an id without .accepted or .rejected is explained, and one without its operation gets suggestions', async () => {
  const rule = 'createChatCompletion:body.n#type';
  const { code, stdout } = await runAssay(['explain', rule, '--no-example']);
  expect(code).toBe(0);
  expect(stdout).toContain(`--only '${rule}.rejected'`);
  const { stderr } = await runAssay(['explain', 'body.n#type']);
  expect(stderr).toContain(`${rule}.`);
});

test('the explanation of the rejections of an operation lists them with their verdicts and the requests that were accepted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-rejections-'));
  const broken = 'createModeration:body#type.rejected';
  const server = await startReference({ fault: broken });
  await runAssay(['run', '--base-url', server.url, '--only', 'createModeration:*', '--report-dir', folder]);
  await server.close();
  const { code, stdout } = await runAssay(['explain', 'createModeration:rejects', '--report', folder]);
  rmSync(folder, { recursive: true });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^createModeration:rejects$/m);
  expect(stdout).toContain(`npx assay run --base-url ${server.url}`);
  expect(stdout).toContain(`--only 'createModeration:*.rejected'`);
  expect(stdout).toMatch(
    /^ +fail +MUST +createModeration:body#type\.rejected .*\n {8}e\d+ {2}POST \/v1\/moderations/m,
  );
  expect(stdout).toMatch(/^ +pass +MUST +createModeration:body\.input#required\.rejected /m);
});

test('the rejections of an unknown operation are not found', async () => {
  const { code, stderr } = await runAssay(['explain', 'createNothing:rejects']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('createNothing:rejects not found')]);
});
