import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { filesOf } from '../files/file-store.ts';
import { readLines } from '../files/lines.ts';
import type { Service } from '../state/service.ts';
import type { Batch } from './batch.ts';
import { type BatchLine, parseLine } from './input.ts';

/** Most requests that one retrieval of the batch waits for. */
const atOnce = 500;

/** Sends the next requests of a batch to the service itself; returns true when all have been sent. */
export async function runLines(service: Service, batch: Batch, path: string): Promise<boolean> {
  const until = batch.done + atOnce;
  let position = 0;
  for await (const { text } of readLines(path)) {
    position += 1;
    if (position <= batch.done) continue;
    if (position > until) return false;
    const line = parseLine(text, batch.shown.endpoint);
    // Cannot happen in a validated file, but the file belongs to the client and may have changed on disk.
    if ('problem' in line) continue;
    await runLine(service, batch, line);
    batch.done = position;
  }
  return true;
}

/** Sends one request and appends its response to the output or error file. */
async function runLine(service: Service, batch: Batch, { custom_id, url, body }: BatchLine): Promise<void> {
  const { status, body: answer } = body['stream'] === true ? streamed : await service.post(url, body);
  const response = { status_code: status, request_id: service.id('req_'), body: answer };
  // `error` is for requests that were not executed; usually every request of this service is.
  // A status of 400 and above is the answer to a request that failed.
  const good = status < 400;
  const content = good ? { response, error: null } : failedContent(service, response);
  const line = JSON.stringify({ id: service.id('batch_req_'), custom_id, ...content });
  await appendFile(pathOf(service, batch, good ? 'output' : 'error'), `${line}\n`);
  batch.shown.request_counts[good ? 'completed' : 'failed'] += 1;
}

/** What a line of an error file contains: the response, an error, or both. */
function failedContent(service: Service, response: object) {
  // The fields that the specification gives to the error of a line; the request itself was carried out.
  const error = {
    code: 'request_failed',
    message: 'The request was not successful.',
    param: 'body',
    type: 'invalid_request_error',
  };
  switch (service.takes('batches.error-line.response')) {
    case 'an error':
      return { response: null, error };
    case 'both':
      return { response, error };
    default:
      return { response, error: null };
  }
}

/** The response to a request with `stream`: a line of a file cannot hold a stream. */
const streamed = {
  status: 400,
  body: {
    error: {
      message: "'stream' cannot be true in a batch.",
      type: 'invalid_request_error',
      param: 'stream',
      code: null,
    },
  },
};

/** Registers the output and error files of the batch; a file without lines does not exist, and its id stays null. */
export async function writeBatchOutput(service: Service, batch: Batch): Promise<void> {
  const { completed, failed } = batch.shown.request_counts;
  const files = filesOf(service);
  const make = async (kind: 'output' | 'error') => {
    const path = pathOf(service, batch, kind);
    const file = await files.adopt(
      path,
      `${batch.id}_${kind}.jsonl`,
      service.takes('batches.results.purpose'),
    );
    return file.id;
  };
  batch.shown.output_file_id = completed > 0 ? await make('output') : null;
  // A file without lines is one of the permitted results of a batch without failures.
  if (failed === 0 && service.takes('batches.completed.error-file') === 'a file')
    await appendFile(pathOf(service, batch, 'error'), '');
  else if (failed === 0) return;
  batch.shown.error_file_id = await make('error');
}

/** Where the results of a batch are collected until it ends. */
function pathOf(service: Service, batch: Batch, kind: 'output' | 'error'): string {
  return join(service.directory, `${batch.id}.${kind}`);
}
