// Records responses that contain a secret, then the request that reveals it. SIGKILL ends the process before the n-th
// file operation of the second step, or after that step. Usage: killed-recorder-process FOLDER SECRET N; prints
// `removed` when the secret has been removed everywhere.
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
const stream = `${delta(secret.slice(0, 8))}${delta(secret.slice(8))}`;
for (const [type, coding, body] of [
  ['application/json', 'identity', Buffer.from(`{"a":"${secret}"}`)],
  ['text/plain', 'identity', Buffer.from(large)],
  ['text/plain', 'gzip', gzipSync(large)],
  ['text/event-stream', 'identity', Buffer.from(stream)],
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
const COUNTED = ['writeSync', 'renameSync', 'unlinkSync', 'ftruncateSync', 'openSync', 'closeSync'] as const;
let remaining = Number(n);
for (const name of COUNTED) {
  const original = fs[name] as (...args: unknown[]) => unknown; // as: the arguments are only passed on
  Object.assign(fs, {
    [name]: (...args: unknown[]) => {
      remaining -= 1;
      if (remaining === 0) process.kill(process.pid, 'SIGKILL');
      return original(...args);
    },
  });
}
syncBuiltinESMExports();
cassette.begin({ method: 'GET', target: '/v1/models', headers: [['authorization', `Bearer ${secret}`]] });
writeSync(1, 'removed');
process.kill(process.pid, 'SIGKILL');
