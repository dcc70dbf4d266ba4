import { setImmediate as nextTurn } from 'node:timers/promises';
import { createCassette } from '../exchange/cassette/cassette-writer.ts';
import { recordingHeader } from '../proxy/record/recording-header.ts';

export const CHAT_PATH = '/v1/chat/completions';

export function makeQuestion(n: number): string {
  return JSON.stringify({ model: 'bench', messages: [{ role: 'user', content: `This is question ${n}.` }] });
}

export function makeAnswer(n: number): string {
  const message = { role: 'assistant', content: `This is answer ${n}. ${'word '.repeat(360)}` };
  return JSON.stringify({
    id: `chatcmpl-${n}`,
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'bench',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
  });
}

export function makeRequestHeaders(length: number) {
  const type = ['Content-Type', 'application/json'] as const;
  return [['Host', '127.0.0.1'], type, ['Content-Length', `${length}`]] as const;
}

export async function recordDistinctRequests(dir: string, count: number): Promise<void> {
  const cassette = createCassette(dir, recordingHeader('http://127.0.0.1:1/v1'), { collect: false });
  for (let n = 0; n < count; n += 1) {
    const [request, response] = [Buffer.from(makeQuestion(n)), Buffer.from(makeAnswer(n))];
    const recording = cassette.begin({
      method: 'POST',
      target: CHAT_PATH,
      headers: makeRequestHeaders(request.length),
    });
    recording.requestBody(request);
    const headers = [
      ['Content-Type', 'application/json'],
      ['Content-Length', `${response.length}`],
      ['Date', 'Fri, 20 Nov 2026 12:00:00 GMT'],
    ] as const;
    recording.response({ status: 200, reason: 'OK', headers });
    recording.piece(response, 1);
    void recording.end({ how: 'complete', at: 1 });
    // Lets the cassette write the lines that wait in memory.
    if (n % 1000 === 0) await nextTurn();
  }
  await cassette.waitUntilWritten();
  cassette.finish();
}
