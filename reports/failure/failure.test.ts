import { expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';
import type { Finding, RequirementVerdict } from '../../judge/verdict/verdict.ts';
import { sampleReport } from '../testing/sample.ts';
import { type FailureContext, failureText } from './failure.ts';

const { report, evidence } = sampleReport('broken');
const [broken] = report.requirements;

function proveBy(
  findings: readonly [exchange: string, signature: string][],
  kind: RequirementVerdict['kind'],
) {
  const all = findings.map(
    ([exchange, signature]): Finding => ({ at: '', expected: '', exchange, signature }),
  );
  const one = { ...broken, kind, findings: all, findingsTotal: all.length } as RequirementVerdict; // as: the sample has one
  const asked: (string | undefined)[] = [];
  const plain = evidence.exchange('e7');
  const own: FailureContext = {
    ...evidence,
    // Odd numbers are deliberately invalid requests.
    exchange: (id) =>
      ({
        ...plain,
        id,
        probe: Number(id.slice(1)) % 2 === 1 ? { side: 'violation', pointer: 'query.limit' } : null,
      }) as Exchange, // as: only these are read
    rerunCommand: (_, exchange) => {
      asked.push(exchange?.id);
      return '';
    },
  };
  const whole = failureText(one, own).next.find(({ what }) => what === 'whole')?.text;
  return { whole, asked };
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
  expect(next.find(({ what }) => what === 'set')?.text).toMatch(/^X_TENANT, X_ODD__ID_: /);
  const curl = next.find(({ what }) => what === 'curl')?.text;
  expect(curl).toContain(`-H 'x-tenant: '"$X_TENANT" -H 'x-odd$(id): '"$X_ODD__ID_" -H 'x-plain: a b'`);
  expect(curl).not.toContain('redacted_');
});

test('a form with a file, or a long body, is piped into curl as it was recorded', () => {
  const plain = evidence.exchange('e7') as Exchange; // as: the sample has it
  const curlOf = (type: string, text: string) => {
    const request = { ...plain.request, headers: [['content-type', type]] as const, body: Body.from(text) };
    const one = {
      ...broken,
      findings: [{ at: '', expected: '', exchange: 'e7', signature: 'a' }],
      findingsTotal: 1,
    };
    const context = { ...evidence, exchange: () => ({ ...plain, request }) };
    const { next } = failureText(one as RequirementVerdict, context); // as: the sample has one
    return next.find(({ what }) => what === 'curl')?.text;
  };
  const form = (disposition: string) =>
    `--b\r\nContent-Disposition: form-data; name="file"${disposition}\r\n\r\nx\r\n--b--\r\n`;
  const type = 'multipart/form-data; boundary=b';
  const piped = /^npx assay show assay-report\/cassette e7 --request-body \| curl .*--data-binary @-$/;
  expect(curlOf(type, form('; filename="a.png"'))).toMatch(piped);
  expect(curlOf(type, form('; filename="a.png"'))).toContain(`-H 'content-type: ${type}'`);
  expect(curlOf(type, form(''))).toMatch(/--form-string file=x$/);
  expect(curlOf('application/json', `{"x":"${'y'.repeat(2000)}"}`)).toMatch(piped);
  expect(curlOf('application/json', '{"x":1}')).toMatch(/--data-raw '{"x":1}'$/);
});

test('a plain request proves a defect better than an intentionally invalid one', () => {
  const findings: [string, string][] = [
    ['e1', 'a'],
    ['e2', 'a'],
    ['e3', 'b'],
    ['e4', 'a'],
  ];
  expect(proveBy(findings, 'schema')).toEqual({
    whole: 'npx assay show assay-report/cassette e2 e3',
    asked: ['e2'],
  });
  expect(proveBy(findings, 'rejected').whole).toBe('npx assay show assay-report/cassette e1 e3');
});
