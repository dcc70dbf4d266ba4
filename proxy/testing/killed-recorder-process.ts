// Records responses that contain a secret, then the request that reveals it; SIGKILL ends it before the n-th write of
// the second step, or after that step. Usage: killed-recorder-process FOLDER SECRET N; prints `taught` when the
// secret has been removed everywhere.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { gzipSync } from 'node:zlib';
import { createCassette } from '../../exchange/cassette/cassette-writer.ts';
import { recordingHeader } from '../record/recording-header.ts';

const [dir = '', secret = '', n = ''] = process.argv.slice(2);
const cassette = createCassette(dir, recordingHeader('http://127.0.0.1:1/v1'), { collect: false });
const large = `${'x'.repeat(20_000)}${secret}`;
const delta = (content: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
const streamed = `${delta(secret.slice(0, 8))}${delta(secret.slice(8))}`;
for (const [type, coding, body] of [
  ['application/json', 'identity', Buffer.from(`{"a":"${secret}"}`)],
  ['text/plain', 'identity', Buffer.from(large)],
  ['text/plain', 'gzip', gzipSync(large)],
  ['text/event-stream', 'identity', Buffer.from(streamed)],
] as const) {
  const recording = cassette.begin({ method: 'GET', target: '/v1/files', headers: [] });
  const headers = [
    ['Content-Type', type],
    ['Content-Encoding', coding],
  ] as const;
  recording.response({ status: 200, reason: 'OK', headers });
  recording.piece(body);
  await recording.end({ how: 'complete' });
}

const { writeSync } = fs;
let left = Number(n);
for (const name of [
  'writeSync',
  'renameSync',
  'unlinkSync',
  'ftruncateSync',
  'openSync',
  'closeSync',
] as const) {
  const call = fs[name] as (...given: unknown[]) => unknown; // as: what it gets is only passed on
  Object.assign(fs, {
    [name]: (...given: unknown[]) => {
      left -= 1;
      if (left === 0) process.kill(process.pid, 'SIGKILL');
      return call(...given);
    },
  });
}
syncBuiltinESMExports();
cassette.begin({ method: 'GET', target: '/v1/models', headers: [['authorization', `Bearer ${secret}`]] });
writeSync(1, 'taught');
process.kill(process.pid, 'SIGKILL');
