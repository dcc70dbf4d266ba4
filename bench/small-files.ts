import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export function writeSmallHarFiles(folder: string, count: number): readonly string[] {
  mkdirSync(folder, { recursive: true });
  return Array.from({ length: count }, (_, n) => {
    const path = join(folder, `${n}.har`);
    const log = { version: '1.2', creator: { name: 'bench', version: '1' }, entries: [createEntry(n)] };
    writeFileSync(path, JSON.stringify({ log }));
    return path;
  });
}

const HEADERS = [{ name: 'content-type', value: 'application/json' }];

function createEntry(n: number) {
  const requestText = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: `Hello ${n}` }] });
  const responseText = JSON.stringify({
    id: `chatcmpl-${n}`,
    object: 'chat.completion',
    created: 1_750_000_000,
    model: 'm',
    system_fingerprint: 'fp_a',
    choices: [
      { index: 0, message: { role: 'assistant', content: 'Hello' }, logprobs: null, finish_reason: 'stop' },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });
  return {
    startedDateTime: '2026-01-01T00:00:00.000Z',
    time: 5,
    request: {
      method: 'POST',
      url: 'https://service.example/v1/chat/completions',
      headers: HEADERS,
      bodySize: requestText.length,
      postData: { mimeType: 'application/json', text: requestText },
    },
    response: {
      status: 200,
      statusText: 'OK',
      headers: HEADERS,
      content: { size: responseText.length, mimeType: 'application/json', text: responseText },
      bodySize: responseText.length,
    },
    timings: { wait: 5 },
  };
}
