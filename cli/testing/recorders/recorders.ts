import { spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import FetchAdapter from '@pollyjs/adapter-fetch';
import { Polly } from '@pollyjs/core';
import FilePersister from '@pollyjs/persister-fs';
import nock from 'nock';
import { chromium } from 'playwright-core';
import { startRecorder } from '../../../proxy/record/record.ts';
import { SESSION, sendSession } from './session.ts';

/** Sends the session, records it in `folder` and returns the path. `url`: base URL of the service, with `/v1`. */
export type SessionRecorder = (url: string, folder: string) => Promise<string>;

export async function recordWithAssay(url: string, folder: string): Promise<string> {
  const cassette = join(folder, 'cassette');
  const recorder = await startRecorder({ baseUrl: url, cassette });
  await sendSession({ base: recorder.url, steps: SESSION });
  await recorder.close();
  return cassette;
}

export const CHROMIUM = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/google-chrome'].find(
  (path) => path !== undefined && existsSync(path),
);

/** Records Chromium with Playwright's HAR recorder. The service serves the page, so that its script may call it. */
export async function recordWithPlaywright(url: string, folder: string): Promise<string> {
  const path = join(folder, 'playwright.har');
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
  ];
  const browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args });
  try {
    const context = await browser.newContext({ recordHar: { path, content: 'embed' } });
    const page = await context.newPage();
    await page.goto(`${url}/models`);
    await page.evaluate(sendSession, { base: url, steps: SESSION });
    await context.close();
  } finally {
    await browser.close();
  }
  return path;
}

/** Records the `fetch` of this process with Polly.js. It cannot read forms in Node, so files are left out. */
export async function recordWithPolly(url: string, folder: string): Promise<string> {
  // as: the types of Polly expect modules where it takes classes
  type Part = Parameters<typeof Polly.register>[0];
  for (const part of [FetchAdapter, FilePersister]) Polly.register(part as unknown as Part);
  const steps = SESSION.filter(({ path }) => !path.startsWith('/files'));
  const polly = new Polly('session', {
    adapters: ['fetch'],
    adapterOptions: { fetch: { context: globalThis } },
    persister: 'fs',
    persisterOptions: { fs: { recordingsDir: folder } },
    mode: 'record',
    logLevel: 'silent',
    recordFailedRequests: true,
  });
  try {
    await sendSession({ base: url, steps });
  } finally {
    await polly.stop();
  }
  const [recording = ''] = readdirSync(folder);
  return join(folder, recording, 'recording.har');
}

export async function recordWithNock(url: string, folder: string): Promise<string> {
  const path = join(folder, 'nock.json');
  nock.recorder.rec({ output_objects: true, dont_print: true, enable_reqheaders_recording: true });
  try {
    await sendSession({ base: url, steps: SESSION });
    writeFileSync(path, JSON.stringify(nock.recorder.play()));
  } finally {
    nock.restore();
    nock.recorder.clear();
  }
  return path;
}

export const HAS_MITMPROXY = (process.env['PATH'] ?? '')
  .split(':')
  .some((folder) => existsSync(join(folder, 'mitmdump')));

export async function recordWithMitmproxy(url: string, folder: string): Promise<string> {
  const path = join(folder, 'flows');
  const { origin } = new URL(url);
  const settings = ['--set', `confdir=${join(folder, 'conf')}`, '--set', 'flow_detail=0'];
  const listen = ['--listen-host', '127.0.0.1', '--listen-port', '0'];
  const child = spawn('mitmdump', ['--mode', `reverse:${origin}`, ...listen, '-w', path, ...settings]);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    const port = await new Promise<string>((resolve, reject) => {
      child.stdout.on('data', (text: Buffer) => {
        const boundPort = /listening at \S+?:(\d+)/.exec(text.toString())?.[1];
        if (boundPort !== undefined) resolve(boundPort);
      });
      child.once('exit', () => reject(new Error('mitmdump ended before it listened')));
    });
    await sendSession({ base: `http://127.0.0.1:${port}/v1`, steps: SESSION });
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
  return path;
}
