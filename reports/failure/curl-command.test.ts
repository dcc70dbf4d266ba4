import { expect, test } from 'vitest';
import type { Exchange, HttpRequest } from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';
import { sampleReport } from '../testing/sample.ts';
import { curlCommand } from './curl-command.ts';

const SAMPLE = sampleReport('broken').evidence.exchange('e7') as Exchange; // as: the sample has it
const CONTEXT = {
  baseUrl: 'http://127.0.0.1:4010/v1',
  keyVariable: 'ASSAY_API_KEY',
  bodyCommand: 'show-body',
};

function writeCurl(changes: Partial<HttpRequest>, facts: Partial<Exchange> = {}) {
  return curlCommand({ ...SAMPLE, ...facts, request: { ...SAMPLE.request, ...changes } }, CONTEXT);
}

test('masked header fields are read from the environment, others are part of the command', () => {
  const headers = [
    ['X-Tenant', 'redacted_1_xxxx'],
    ['x-odd$(id)', 'redacted_2_xx'],
    ['x-plain', 'a b'],
  ] as const;
  const curl = writeCurl({ headers });
  expect(curl).toContain(`-H 'x-tenant: '"$X_TENANT" -H 'x-odd$(id): '"$X_ODD__ID_" -H 'x-plain: a b'`);
  expect(curl).not.toContain('redacted_');
});

test('a body keeps the method GET and a missing type; an empty header field stays', () => {
  const curl = writeCurl({ method: 'GET', headers: [['x-empty', '']], body: Body.from('{}') });
  expect(curl).toMatch(/ -X GET \S+ -H 'x-empty;' -H content-type: --data-raw '\{\}'$/);
});

test('a GET without header fields and body needs only the URL', () => {
  expect(writeCurl({ method: 'GET', headers: [], body: Body.from('') })).toMatch(/^curl -sS [^ ]+$/);
});

test('the key is sent by the name of its variable, and a wrong key for the trial of one', () => {
  const headers = [['authorization', 'Bearer redacted_1_xxxx']] as const;
  const trial = {
    id: 'a',
    operation: 'createThread',
    pointer: 'header.authorization',
    keyword: 'wrong',
    side: 'violation',
    control: null,
  } as const;
  const keyOf = (facts: Partial<Exchange>) =>
    /-H "authorization: Bearer (.*?)"/.exec(writeCurl({ headers }, facts) ?? '')?.[1];
  expect(keyOf({ probe: null })).toBe('$ASSAY_API_KEY');
  expect(keyOf({ probe: trial })).toBe('a-wrong-key');
});

test('brackets in a URL are taken literally', () => {
  const curlOf = (target: string) => writeCurl({ method: 'GET', target, headers: [], body: Body.from('') });
  expect(curlOf('/v1/files?metadata[a]=b')).toMatch(/^curl -gsS '.*\/v1\/files\?metadata\[a\]=b'$/);
  expect(curlOf('/v1/files')).toMatch(/^curl -sS /);
});

test('a form without parts, with a file, or with a part without a name or with `=` in it, or a long body, is piped into curl as it was recorded; others are part of the command', () => {
  const curlOf = (type: string, text: string) =>
    writeCurl({ headers: [['content-type', type]], body: Body.from(text) });
  const form = (disposition: string) =>
    `--b\r\nContent-Disposition: form-data; name="file"${disposition}\r\n\r\nx\r\n--b--\r\n`;
  const type = 'multipart/form-data; boundary=b';
  const piped = /^show-body \| curl .*--data-binary @-$/;
  expect(curlOf(type, form('; filename="a.png"'))).toMatch(piped);
  expect(curlOf(type, form('; filename="a.png"'))).toContain(`-H 'content-type: ${type}'`);
  expect(curlOf(type, form(''))).toMatch(/--form-string file=x$/);
  expect(curlOf(type, form('').replace('; name="file"', ''))).toMatch(piped);
  expect(curlOf(type, form('').replace('"file"', '"a=b"'))).toMatch(piped);
  expect(curlOf(type, '--b--\r\n')).toMatch(piped);
  expect(curlOf('application/json', `{"x":"${'y'.repeat(2000)}"}`)).toMatch(piped);
  expect(curlOf('application/json', '{"x":1}')).toMatch(/--data-raw '{"x":1}'$/);
});
