import { expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Finding, RequirementVerdict } from '../../judge/verdict/verdict.ts';
import { sampleReport } from '../samples/sample.ts';
import { type FailureContext, failureText } from './failure.ts';

const { report, evidence } = sampleReport('broken');
const [broken] = report.requirements;

function proved(
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
    // Odd numbers are requests that are wrong on purpose.
    exchange: (id) =>
      ({
        ...plain,
        id,
        probe: Number(id.slice(1)) % 2 === 1 ? { side: 'violation', pointer: 'query.limit' } : null,
      }) as Exchange, // as: only these are read
    again: (_, exchange) => {
      asked.push(exchange?.id);
      return '';
    },
  };
  const whole = failureText(one, own).next.find(({ what }) => what === 'whole')?.text;
  return { whole, asked };
}

test('a plain request proves a defect better than one that is wrong on purpose', () => {
  const findings: [string, string][] = [
    ['e1', 'a'],
    ['e2', 'a'],
    ['e3', 'b'],
    ['e4', 'a'],
  ];
  expect(proved(findings, 'schema')).toEqual({
    whole: 'npx assay show assay-report/cassette e2 e3',
    asked: ['e2'],
  });
  expect(proved(findings, 'rejected').whole).toBe('npx assay show assay-report/cassette e1 e3');
});
