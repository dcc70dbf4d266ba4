import { modelRoles } from '../../../reference/model/catalogue.ts';
import { API_KEY } from '../../run-on-reference.ts';

/** Trainers usually require at least ten examples. */
const TRAINING_EXAMPLES = 12;

/** Creates `count` each of batches, jobs and other files, as if earlier clients had left them. */
export async function leaveHistory(url: string, count: number): Promise<void> {
  const messages = [
    { role: 'user', content: 'Say assay.' },
    { role: 'assistant', content: 'assay' },
  ];
  const request = {
    custom_id: '1',
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model: modelRoles.chat, messages },
  };
  const input = await upload(url, 'batch', [request]);
  const training = await upload(url, 'fine-tune', Array<object>(TRAINING_EXAMPLES).fill({ messages }));
  for (let i = 0; i < count; i++) {
    await upload(url, 'assistants', [{ i }]);
    const batch = { input_file_id: input, endpoint: request.url, completion_window: '24h' };
    await post(`${url}/batches`, JSON.stringify(batch));
    const job = { model: modelRoles['fine-tuning'], training_file: training };
    await post(`${url}/fine_tuning/jobs`, JSON.stringify(job));
  }
}

async function upload(url: string, purpose: string, lines: readonly object[]): Promise<string> {
  const form = new FormData();
  form.set('purpose', purpose);
  form.set('file', new Blob([lines.map((line) => JSON.stringify(line)).join('\n')]), 'history.jsonl');
  return post(`${url}/files`, form);
}

async function post(url: string, body: string | FormData): Promise<string> {
  const headers = {
    authorization: `Bearer ${API_KEY}`,
    ...(typeof body === 'string' && { 'content-type': 'application/json' }),
  };
  const response = await fetch(url, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  const { id } = (await response.json()) as { readonly id: string }; // as: every created object has an id
  return id;
}
