import { expect, test } from 'vitest';
import type { Exchange, HttpRequest } from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';
import type { Finding, RequirementVerdict } from '../../judge/verdict/verdict.ts';
import { sampleReport } from '../testing/sample.ts';
import { type FailureContext, failureText } from './failure.ts';

const { report, evidence } = sampleReport('broken');
const [broken] = report.requirements;

function commandsFor(
  proofs: readonly (readonly [exchange: string, signature: string])[],
  kind: RequirementVerdict['kind'],
) {
  const findings = proofs.map(
    ([exchange, signature]): Finding => ({ at: '', expected: '', exchange, signature }),
  );
  const failure = { ...broken, kind, findings, findingsTotal: findings.length } as RequirementVerdict; // as: the sample has one
  let reproduced: string | undefined;
  const plain = evidence.exchange('e7');
  const context: FailureContext = {
    ...evidence,
    // Odd numbers are deliberately invalid requests.
    exchange: (id) =>
      ({
        ...plain,
        id,
        probe: Number(id.slice(1)) % 2 === 1 ? { side: 'violation', pointer: 'query.limit' } : null,
      }) as Exchange, // as: only these are read
    rerunCommand: (_, exchange) => {
      reproduced = exchange?.id;
      return '';
    },
  };
  const whole = failureText(failure, context).next.find(({ what }) => what === 'whole')?.text;
  return { whole, reproduced };
}

test('masked header fields of a curl command are read from the environment, and named before it', () => {
  const plain = evidence.exchange('e7') as Exchange; // as: the sample has it
  const headers = [
    ['X-Tenant', 'redacted_1_xxxx'],
    ['x-odd$(id)', 'redacted_2_xx'],
    ['x-plain', 'a b'],
  ] as const;
  const exchange: Exchange = { ...plain, request: { ...plain.request, headers } };
  const { next } = failureText(
    {
      ...broken,
      findings: [{ at: '', expected: '', exchange: 'e7', signature: 'a' }],
      findingsTotal: 1,
    } as RequirementVerdict, // as: the sample has one
    { ...evidence, exchange: () => exchange },
  );
  expect(next.map(({ what }) => what)).toEqual(['again', 'set', 'curl', 'whole']);
  expect(next.find(({ what }) => what === 'set')?.text).toMatch(/^X_TENANT, X_ODD__ID_: /);
  const curl = next.find(({ what }) => what === 'curl')?.text;
  expect(curl).toContain(`-H 'x-tenant: '"$X_TENANT" -H 'x-odd$(id): '"$X_ODD__ID_" -H 'x-plain: a b'`);
  expect(curl).not.toContain('redacted_');
});

function readCurl(changes: Partial<HttpRequest>, facts: Partial<Exchange> = {}) {
  const plain = evidence.exchange('e7') as Exchange; // as: the sample has it
  const failure = {
    ...broken,
    findings: [{ at: '', expected: '', exchange: 'e7', signature: 'a' }],
    findingsTotal: 1,
  };
  const exchange = { ...plain, ...facts, request: { ...plain.request, ...changes } };
  const context = { ...evidence, exchange: () => exchange };
  const { next } = failureText(failure as RequirementVerdict, context); // as: the sample has one
  return next.find(({ what }) => what === 'curl')?.text;
}

test('a curl command keeps the method, the missing type of a body, and empty header fields', () => {
  const curl = readCurl({ method: 'GET', headers: [['x-empty', '']], body: Body.from('{}') });
  expect(curl).toMatch(/ -X GET \S+ -H 'x-empty;' -H content-type: --data-raw '\{\}'$/);
  expect(readCurl({ method: 'GET', headers: [], body: Body.from('') })).toMatch(/^curl -sS [^ ]+$/);
});

test('a curl command sends the key by name, and a wrong key for the trial of one', () => {
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
    /-H "authorization: Bearer (.*?)"/.exec(readCurl({ headers }, facts) ?? '')?.[1];
  expect(keyOf({ probe: null })).toBe('$ASSAY_API_KEY');
  expect(keyOf({ probe: trial })).toBe('a-wrong-key');
});

test('a curl command takes brackets and braces in a URL literally', () => {
  const curlOf = (target: string) => readCurl({ method: 'GET', target, headers: [], body: Body.from('') });
  expect(curlOf('/v1/files?metadata[a]=b')).toMatch(/^curl -gsS '.*\/v1\/files\?metadata\[a\]=b'$/);
  expect(curlOf('/v1/files')).toMatch(/^curl -sS /);
});

test('a form without parts, with a file, or with a part without a name or with `=` in it, or a long body, is piped into curl as it was recorded; others are part of the command', () => {
  const curlOf = (type: string, text: string) =>
    readCurl({ headers: [['content-type', type]], body: Body.from(text) });
  const form = (disposition: string) =>
    `--b\r\nContent-Disposition: form-data; name="file"${disposition}\r\n\r\nx\r\n--b--\r\n`;
  const type = 'multipart/form-data; boundary=b';
  const piped = /^npx assay show assay-report\/cassette e7 --request-body \| curl .*--data-binary @-$/;
  expect(curlOf(type, form('; filename="a.png"'))).toMatch(piped);
  expect(curlOf(type, form('; filename="a.png"'))).toContain(`-H 'content-type: ${type}'`);
  expect(curlOf(type, form(''))).toMatch(/--form-string file=x$/);
  expect(curlOf(type, form('').replace('; name="file"', ''))).toMatch(piped);
  expect(curlOf(type, form('').replace('"file"', '"a=b"'))).toMatch(piped);
  expect(curlOf(type, '--b--\r\n')).toMatch(piped);
  expect(curlOf('application/json', `{"x":"${'y'.repeat(2000)}"}`)).toMatch(piped);
  expect(curlOf('application/json', '{"x":1}')).toMatch(/--data-raw '{"x":1}'$/);
});

test('the exchange of a valid request is shown, unless the requirement is on the rejection of invalid ones', () => {
  const proofs = [
    ['e1', 'a'],
    ['e2', 'a'],
    ['e3', 'b'],
    ['e4', 'a'],
  ] as const;
  expect(commandsFor(proofs, 'schema')).toEqual({
    whole: 'npx assay show assay-report/cassette e2 e3',
    reproduced: 'e2',
  });
  expect(commandsFor(proofs, 'rejected').whole).toBe('npx assay show assay-report/cassette e1 e3');
});
