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

function nextOf(changes: Partial<HttpRequest>) {
  const plain = evidence.exchange('e7') as Exchange; // as: the sample has it
  const exchange = { ...plain, request: { ...plain.request, ...changes } };
  const failure = {
    ...broken,
    findings: [{ at: '', expected: '', exchange: 'e7', signature: 'a' }],
    findingsTotal: 1,
  };
  return failureText(failure as RequirementVerdict, { ...evidence, exchange: () => exchange }).next; // as: the sample has one
}

test('a curl command follows the names of the variables to set for masked header fields', () => {
  const next = nextOf({
    headers: [
      ['X-Tenant', 'redacted_1_xxxx'],
      ['x-odd$(id)', 'redacted_2_xx'],
    ],
  });
  expect(next.map(({ what }) => what)).toEqual(['again', 'set', 'curl', 'whole']);
  expect(next.find(({ what }) => what === 'set')?.text).toMatch(/^X_TENANT, X_ODD__ID_: /);
});

test('`assay show` pipes a long body from the cassette into curl', () => {
  const next = nextOf({ body: Body.from('y'.repeat(2000)) });
  expect(next.find(({ what }) => what === 'curl')?.text).toMatch(
    /^npx assay show assay-report\/cassette e7 --request-body \| curl /,
  );
});

test('each defect is shown by a valid request if there is one, unless the requirement is on the rejection of invalid ones', () => {
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
