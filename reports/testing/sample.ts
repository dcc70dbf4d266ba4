import { readFileSync } from 'node:fs';
import type { Ending, Exchange, HeaderPairs, Piece } from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';
import type { MutationReport } from '../../proof/mutation-report.ts';
import type { FailureContext } from '../failure/failure.ts';
import { makeReport, type ReportInput } from '../make-report.ts';
import type { Report } from '../report.ts';

interface StoredExchange {
  readonly id: string;
  /** Bodies are text, so that diffs are readable. */
  readonly request: { method: string; target: string; headers: HeaderPairs; body: string };
  readonly response: { status: number; headers: HeaderPairs; body: string; pieces: Piece[] } | null;
  readonly end: Ending;
}

type SampleFile = ReportInput & { readonly exchanges: readonly StoredExchange[] };

/** Reads the file at each call, because a test may change what it gets. */
export function sampleReport(name: 'broken' | 'green' | 'nothing'): {
  report: Report;
  evidence: FailureContext;
} {
  const text = readFileSync(new URL(`../samples/${name}.json`, import.meta.url), 'utf8');
  const sample = JSON.parse(text) as SampleFile; // as: the samples are written in this shape
  const exchanges = new Map(sample.exchanges.map((one) => [one.id, revive(one)]));
  return {
    // The version is that of the sample, so that the stored reports outlive a release.
    report: { ...makeReport(sample), tool: sample.header.tool },
    evidence: {
      exchange: (id) => exchanges.get(id),
      // The commands are fixed; the pipeline derives them from its configuration.
      rerunCommand: (id) => `npx assay run --base-url ${sample.header.target.baseUrl} --only '${id}'`,
      claimCommand: (families) =>
        `npx assay run --base-url ${sample.header.target.baseUrl} --claim ${families.join(',')}`,
      baseUrl: sample.header.target.baseUrl,
      keyVariable: 'ASSAY_API_KEY',
      cassette: 'assay-report/cassette',
      source: () => null,
      width: 110,
    },
  };
}

export function sampleProof(): MutationReport {
  const { report } = sampleReport('broken');
  const [insensitive = '', excused = '', unproved = '', ...others] = report.requirements.map(({ id }) => id);
  const row = { mutants: 6, killed: 6, by: { null: 3, 'wrong type': 2, 'one too many': 1 } };
  return {
    mutants: 1200,
    killed: 1199,
    survived: [
      { requirement: insensitive, mutant: 'missing at place 1', why: 'the requirement does not fail' },
    ],
    exceptions: [
      { requirement: excused, kind: 'null', reason: 'no service sends it', expires: '2030-01-01' },
      { requirement: excused, kind: 'missing', reason: 'it never is', expires: null },
    ],
    stale: [],
    benign: 900,
    accused: [],
    idle: [],
    requirements: Object.fromEntries([
      [insensitive, { mutants: 1, killed: 0, by: {} }],
      ...[excused, ...others].map((id) => [id, row]),
    ]),
    unproved: [{ requirement: unproved, cause: { kind: 'not-feasible', says: 'no request makes it fail' } }],
  };
}

function revive({ id, request, response, end }: StoredExchange): Exchange {
  return {
    id,
    after: 0,
    ended: 1,
    scenario: null,
    probe: null,
    request: { ...request, body: Body.from(request.body) },
    response:
      response === null ? null : { ...response, reason: '', trailers: [], body: Body.from(response.body) },
    end,
  };
}
