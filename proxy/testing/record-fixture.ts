import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { readTrace } from '../../exchange/cassette/cassette.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { isNote, type TraceItem } from '../../exchange/trace.ts';
import { type Recorder, type RecordOptions, type RecordReport, startRecorder } from '../record/record.ts';
import { requestBodyOf, startUpstream, type TestUpstream } from './upstream.ts';

export function createRecordFixture() {
  let root = '';
  let service: TestUpstream | null = null;
  let recorder: Recorder | null = null;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'assay-record-'));
  });
  afterEach(async () => {
    await recorder?.close();
    await service?.close();
    recorder = null;
    service = null;
    rmSync(root, { recursive: true, force: true });
  });
  const cassette = () => join(root, 'c');

  async function start(handler: Parameters<typeof startUpstream>[0], options: Partial<RecordOptions> = {}) {
    service = await startUpstream(handler);
    recorder = await startRecorder({ baseUrl: service.url, cassette: cassette(), ...options });
    return recorder;
  }

  /** The service responds with the number of the request and its body. */
  function startCountingService() {
    let n = 0;
    return start(async (req, res) => {
      n += 1;
      res.end(`${n} ${await requestBodyOf(req)}`);
    });
  }

  async function readItems(): Promise<TraceItem[]> {
    await stopRecorder();
    return (await readTrace(cassette())).items;
  }

  async function stopRecorder(): Promise<RecordReport | null> {
    const report = (await recorder?.close()) ?? null;
    recorder = null;
    return report;
  }

  return {
    stopRecorder,
    cassette,
    start,
    startCountingService,
    readItems,
    readExchanges: async () => (await readItems()).filter((item): item is Exchange => !isNote(item)),
    server: (): Server => {
      if (service === null) throw new Error('no service was started');
      return service.server;
    },
    serviceHost: () => service && new URL(service.url).host,
    stopService: async () => {
      await service?.close();
      service = null;
    },
  };
}
