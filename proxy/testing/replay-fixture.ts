import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { type CassetteOptions, createCassette } from '../../exchange/cassette/cassette-writer.ts';
import type { EndingKind, HeaderPairs } from '../../exchange/exchange.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import { recordingHeader } from '../record/recording-header.ts';
import { type Replayer, type ReplayOptions, startReplayer } from '../replay/replay.ts';

export interface RecordedSketch {
  readonly method?: string;
  readonly target?: string;
  readonly headers?: HeaderPairs;
  readonly body?: string;
  readonly status?: number;
  readonly reason?: string;
  readonly answerHeaders?: HeaderPairs;
  readonly pieces?: readonly (readonly [text: string, at: number])[];
  /** False if no status line arrived. */
  readonly isAnswered?: boolean;
  readonly how?: EndingKind;
  readonly detail?: string;
  readonly at?: number;
}

export function createReplayFixture() {
  let root = '';
  let replayer: Replayer | null = null;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'assay-replay-'));
  });
  afterEach(async () => {
    await replayer?.close();
    replayer = null;
    rmSync(root, { recursive: true, force: true });
  });

  async function writeCassette(
    exchanges: readonly RecordedSketch[],
    name = 'c',
    header: Partial<TraceHeader> = {},
    options: CassetteOptions = {},
  ): Promise<string> {
    const dir = join(root, name);
    const writer = createCassette(
      dir,
      recordingHeader('http://127.0.0.1:1/v1', { key: true, ...header }),
      options,
    );
    for (const sketch of exchanges) {
      const { method = 'POST', target = '/v1/chat/completions', headers = [], pieces = [['ok', 0]] } = sketch;
      const recording = writer.begin({ method, target, headers });
      if (sketch.body !== undefined) recording.requestBody(Buffer.from(sketch.body));
      if (sketch.isAnswered !== false) {
        recording.response({
          status: sketch.status ?? 200,
          reason: sketch.reason ?? 'OK',
          headers: sketch.answerHeaders ?? [],
        });
        for (const [text, at] of pieces) recording.piece(Buffer.from(text), at);
      }
      await recording.end({
        how: sketch.how ?? 'complete',
        detail: sketch.detail ?? null,
        at: sketch.at ?? 0,
      });
    }
    writer.finish();
    return dir;
  }

  async function start(options: ReplayOptions): Promise<string> {
    replayer = await startReplayer(options);
    return replayer.url;
  }

  return {
    path: (name = 'c') => join(root, name),
    writeCassette,
    start,
    serve: async (
      exchanges: readonly RecordedSketch[],
      options: Partial<ReplayOptions> = {},
      recording: CassetteOptions = {},
    ) =>
      start({ cassettes: [await writeCassette(exchanges, 'c', {}, recording)], strict: false, ...options }),
    report: () => replayer?.report(),
  };
}

export const postRequest = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/chat/completions`, { method: 'POST', body, headers });

export const responseText = async (answer: Promise<Response>) => (await answer).text();
