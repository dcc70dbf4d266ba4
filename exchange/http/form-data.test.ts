import { describe, expect, test } from 'vitest';
import type { HeaderPairs } from '../exchange.ts';
import { Body } from './body.ts';
import { formDataParts } from './form-data.ts';

const message = (content: string, headers: HeaderPairs) => ({ headers, body: Body.from(content) });

describe('a form', () => {
  const body = [
    '--xyz\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nassistants\r\n',
    '--xyz\r\nContent-Disposition: form-data; name="file"; filename="a \\"b\\".jsonl"\r\n',
    'Content-Type: application/json; charset=x\r\n\r\n{}\r\n\r\n--xyz--\r\n',
  ].join('');
  const type: HeaderPairs[number] = ['Content-Type', 'multipart/form-data; boundary=xyz'];

  test('is read as its parts in order, with their exact content', () => {
    const parts = formDataParts(message(body, [type]));
    expect(parts).toMatchObject([
      { name: 'purpose', filename: null, type: null },
      { name: 'file', filename: 'a "b".jsonl', type: 'application/json' },
    ]);
    expect(parts?.map((part) => part.body.text)).toEqual(['assistants', '{}\r\n']);
  });

  test('is not read if it is malformed or of another media type', () => {
    expect(formDataParts(message(body.slice(0, 60), [type]))).toBeNull();
    expect(formDataParts(message(body, [['Content-Type', 'text/plain']]))).toBeNull();
  });
});
