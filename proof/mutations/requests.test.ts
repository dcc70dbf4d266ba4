import { expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { withFile, withFileSize, withRequest, withRequestQuery } from './requests.ts';

const FORM = [
  ['Content-Disposition: form-data; name="purpose"', '', 'batch'],
  ['Content-Disposition: form-data; name="file"; filename="a.jsonl"', 'Content-Type: text/plain', '', '{}'],
];

function createUpload(): Exchange {
  const text = `${FORM.map((lines) => ['--b', ...lines, ''].join('\r\n')).join('')}--b--\r\n`;
  return withRequest(new TraceBuilder().add('createFile', {}, { json: {} }), (request) => ({
    ...request,
    headers: [['content-type', 'multipart/form-data; boundary=b']],
    body: Body.from(text),
  }));
}

test('a query parameter is set in a query that contains a question mark', () => {
  const exchange = withRequest(createUpload(), (request) => ({ ...request, target: '/v1/files?a=b?c&n=1' }));
  expect(withRequestQuery(exchange, 'n', '2').request.target).toBe('/v1/files?a=b%3Fc&n=2');
});

test('a changed file keeps its content type, and the other fields stay as they are', () => {
  const { request } = withFile(createUpload(), 'file', ({ filename }) => ({
    filename: `new ${filename}`,
    bytes: Buffer.from('[]'),
  }));
  const parts = formDataParts(request)?.map(({ name, filename, type, body }) => [
    name,
    filename,
    type,
    body.text,
  ]);
  expect(parts).toEqual([
    ['purpose', null, null, 'batch'],
    ['file', 'new a.jsonl', 'text/plain', '[]'],
  ]);
});

test('a request without a file in the field stays as it is', () => {
  const upload = createUpload();
  expect(withFile(upload, 'image', (file) => file)).toBe(upload);
  expect(withFileSize(['createFile'], 'image', 9)([upload])).toBeNull();
});

test('withFileSize sets the size of the file and drops its content', () => {
  const [resized] = withFileSize(['createFile'], 'file', 9)([createUpload()]) ?? [];
  const parts =
    resized && formDataParts(resized.request)?.map(({ name, body }) => [name, body.size, body.text]);
  expect(parts).toEqual([
    ['purpose', 5, 'batch'],
    ['file', 9, null],
  ]);
});
