import { cpSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findCodeBlock, listCommands, ROOT, readDocument } from './testing/documents.ts';
import { ReaderFolder } from './testing/reader-folder.ts';

const EXTEND = readDocument('docs/extend.md');

let folder: ReaderFolder;
beforeAll(() => {
  folder = new ReaderFolder({});
  cpSync(join(ROOT, 'examples'), join(folder.path, 'examples'), { recursive: true });
});
afterAll(() => folder.remove());

test('the commands of the page work on the example, and a run with the configuration of the page conforms', async () => {
  // scripts/package.docs.test.ts runs the extensions of the package.
  const own = listCommands(EXTEND).filter((line) => !line.includes('--extension assay:'));
  const [serve = '', ...others] = own;
  expect(serve).toBe('node examples/embeddings/server.mjs 8000 &');
  const { startServer } = await import(join(ROOT, 'examples/embeddings/server.mjs'));
  const server: { readonly url: string; close(): Promise<void> } = await startServer();
  try {
    expect(others).toHaveLength(4);
    for (const line of others) {
      const { code, output } = await folder.runHere(line.replace('http://127.0.0.1:8000/v1', server.url));
      expect(code, `${line}\n${output}`).toBe(0);
    }
    folder.write('assay.config.json', findCodeBlock(EXTEND, 'json', '"extension"'));
    const { code, output } = await folder.runHere(`npx assay run --base-url ${server.url}`);
    expect(output).toContain('69 of 69 requirements pass');
    expect(code).toBe(0);
  } finally {
    folder.write('assay.config.json', '{}');
    await server.close();
  }
});

test('the extension file, the OpenAPI document and the suite of the page judge a service', async () => {
  folder.write('greetings/extension.json', findCodeBlock(EXTEND, 'json', '"greetings.suite.mjs"'));
  folder.write('greetings/openapi.json', findCodeBlock(EXTEND, 'json', '"operationId": "greet"'));
  folder.write('greetings/greetings.suite.mjs', findCodeBlock(EXTEND, 'js', '// greetings.suite.mjs'));
  let text = 'Good day.';
  const server = createServer(async (request, response) => {
    const body = await jsonBody(request);
    response.statusCode = typeof body?.name === 'string' ? 200 : 400;
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ text }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo; // as: it listens on a port
    const run = `npx assay run --base-url http://127.0.0.1:${port}/v1 --claim greetings --extension greetings/extension.json`;
    const { code: firstCode, output: summary } = await folder.runHere(run);
    const prove = 'npx assay prove assay-report/cassette --extension greetings/extension.json';
    expect(firstCode, summary).toBe(0);
    expect(summary).toContain(`  ${prove}\n`);
    expect(await folder.runHere(prove)).toMatchObject({ code: 0 });
    const listing = await folder.runHere(
      "npx assay list --section 'greetings Greet' --extension greetings/extension.json",
    );
    expect(listing.output).toContain('greetings.greet.named');
    expect(listing.output).toContain('greetings.greet:accepts');
    text = '';
    const { code, output } = await folder.runHere(run);
    expect(output).toContain('FAIL  greetings.greet.named');
    expect(code).toBe(1);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});

async function jsonBody(request: IncomingMessage): Promise<{ readonly name?: unknown } | null> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  try {
    return JSON.parse(Buffer.concat(pieces).toString());
  } catch {
    return null;
  }
}
