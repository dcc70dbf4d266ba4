import { gzipSync } from 'node:zlib';
import { createCassette } from '../cassette/cassette-writer.ts';
import type { HeaderPairs } from '../exchange.ts';
import { traceHeader } from './trace-header.ts';

const boundary = 'a-boundary-that-is-long-enough';
const FORM = `--${boundary}\r\nContent-Disposition: form-data; name="x"\r\n\r\n${'y'.repeat(30_000)}\r\n--${boundary}--\r\n`;

export async function writeCompleteCassette(dir: string): Promise<void> {
  const cassette = createCassette(dir, traceHeader(), { maxRequestBytes: 20_000 });
  cassette.note({ note: 'scenario-started', scenario: 'a.b' });
  const probe = {
    id: '1',
    operation: 'o',
    pointer: 'p',
    keyword: 'k',
    side: 'valid',
    control: null,
  } as const;
  const aborted = cassette.begin({
    method: 'GET',
    target: '/v1/models?a=1&b=%20',
    headers: [['Host', 'x']],
    scenario: 'a.b',
    probe,
  });
  const answers: [HeaderPairs, (string | Buffer)[]][] = [
    [
      [
        ['Content-Type', 'application/json'],
        ['Date', 'today'],
        ['X-Odd', 'secretive'],
      ],
      ['{"a":', '1}'],
    ],
    [[['content-type', 'text/event-stream']], ['data: 1\n\nda', 'ta: 2\r\n\r\n']],
    [[['Content-Encoding', 'gzip']], [gzipSync('hello '.repeat(50))]],
    [[['Content-Type', 'image/png']], [Buffer.alloc(10_000, 0xff), Buffer.from([1])]],
    [[], []],
  ];
  for (const [headers, pieces] of answers) {
    const recording = cassette.begin({
      method: 'POST',
      target: '/v1/x',
      headers: [['Authorization', 'Bearer sk-some-key-0123456789']],
    });
    recording.requestBody(Buffer.from([0xfe, 0xff]));
    recording.response({ status: 200, reason: 'Fine', headers });
    for (const piece of pieces) recording.piece(Buffer.from(piece));
    await recording.end({ how: 'complete', trailers: [['X-Assay-T', '1']] });
    cassette.note({ note: 'remark', message: `after ${pieces.length}` });
  }
  const upload = cassette.begin({
    method: 'POST',
    target: '/v1/files',
    headers: [['Content-Type', `multipart/form-data; boundary=${boundary}`]],
  });
  upload.requestBody(Buffer.from(FORM));
  await upload.end({ how: 'upstream-timeout', detail: 'silent' });
  await aborted.end({ how: 'client-abort' });
  cassette.finish();
}
