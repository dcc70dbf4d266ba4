import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach } from 'vitest';
import { readTrace } from '../../exchange/cassette/cassette.ts';
import { DISCOVERY, type Exchange } from '../../exchange/exchange.ts';
import { isNote, type Note, type TraceItem } from '../../exchange/trace.ts';
import { configureForTarget, type RunConfiguration } from '../configuration/configuration.ts';
import { readSettings } from '../configuration/settings.ts';
import { type DriveEvent, type DriveOptions, type DriveResult, runScenarios } from '../run.ts';

export let folder = '';
const closers = new Set<() => Promise<unknown>>();

export function isolateRuns(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'assay-run-test-'));
  });
  afterEach(async () => {
    for (const close of closers) await close();
    closers.clear();
    rmSync(folder, { recursive: true });
  });
}

export async function listenForTest(
  requestListener: RequestListener,
): Promise<{ url: string; die: () => Promise<unknown> }> {
  const server = createServer(requestListener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // as: a TCP server that listens has one
  const die = async (): Promise<unknown> => {
    closers.delete(die);
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  closers.add(die);
  return { url: `http://127.0.0.1:${port}/v1`, die };
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

export function fileService(contents: Map<string, string>): RequestListener {
  let created = 0;
  return (request, response) => {
    const id = /^\/v1\/files\/([\w-]+)$/.exec(request.url ?? '')?.[1];
    request.resume().on('end', () => {
      if (request.method === 'POST' && request.url === '/v1/files') {
        created += 1;
        contents.set(`file-${created}`, '');
        sendJson(response, 200, { id: `file-${created}`, object: 'file' });
      } else if (request.method === 'DELETE' && id !== undefined) {
        sendJson(response, contents.delete(id) ? 200 : 404, { id, object: 'file', deleted: true });
      } else if (id !== undefined) sendJson(response, contents.has(id) ? 200 : 404, { id });
      else sendJson(response, request.url?.startsWith('/v1/files') ? 200 : 404, { object: 'list', data: [] });
    });
  };
}

export function testConfiguration(url: string, flags: Record<string, unknown> = {}): RunConfiguration {
  const allFlags = { baseUrl: url, reportDir: join(folder, 'report'), claim: 'files', ...flags };
  const env = { ASSAY_API_KEY: 'sk-the-secret-key-of-the-run' };
  return configureForTarget(readSettings({ flags: allFlags, env, file: null, readText: () => '' }), null);
}

export function writeSuite(text: string): string {
  const scenarioModule = JSON.stringify(fileURLToPath(new URL('../scenario/scenario.ts', import.meta.url)));
  const suites = mkdtempSync(join(folder, 'suites-'));
  writeFileSync(join(suites, 'own.suite.ts'), `import { scenario } from ${scenarioModule};\n${text}`);
  return suites;
}

export async function runSuite(
  settings: RunConfiguration,
  options: DriveOptions = {},
): Promise<{
  result: DriveResult;
  discovery: Exchange[];
  exchanges: Exchange[];
  notes: Note[];
  progress: DriveEvent[];
}> {
  const progress: DriveEvent[] = [];
  const result = await runScenarios(settings, {
    ...options,
    onProgress: (event) => {
      progress.push(event);
      options.onProgress?.(event);
    },
  });
  const { items } = await readTrace(result.cassette);
  const all = items.filter((item: TraceItem): item is Exchange => !isNote(item));
  const discovery = all.filter(({ scenario }) => scenario === DISCOVERY);
  const exchanges = all.filter(({ scenario }) => scenario !== DISCOVERY);
  return { result, discovery, exchanges, notes: items.filter(isNote), progress };
}

export function scenarioText(name: string, run: string, more = ''): string {
  const traits = `family: 'files', operations: [], cost: ['free'], roles: []`;
  return `export const s${name.replace(/\W/g, '')} = scenario({ name: '${name}', ${traits}, ${more} run: async (context) => { ${run} } });\n`;
}

export const uploadCall = `const form = [{ name: 'purpose', value: 'batch' }, { name: 'file', file: Buffer.from('{}'), filename: context.tag, type: 'x/y' }];
  const upload = await context.need('createFile', { form });`;
export const oneScenario = scenarioText(
  'files.own',
  `${uploadCall} await context.call('retrieveFile', { path: { file_id: upload.text('/id') } });`,
);
