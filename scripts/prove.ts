// `npm run prove` proves the requirements with mutants and equivalent mutants of a conforming trace, in two processes.
// Exits with 1 if a mutant survives, an equivalent mutant worsens a verdict or an exception is stale; with 2 if the
// proof fails to run.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { proveCassette } from '../pipeline/prove.ts';
import {
  isProofClean,
  joinMutationReports,
  type MutationReport,
  type RequirementMutants,
} from '../proof/mutation-report.ts';
import { mutationSummary } from '../reports/mutation.ts';
import { plural } from '../schemas/message-text.ts';
import { makeAffectedFilter } from './affected-requirements.ts';
import { changedFiles } from './changed-files.ts';
import { seedOf } from './sample-seed.ts';
import { parseScriptArguments, rejectArguments } from './script-arguments.ts';
import { runAllShares, runShareOrWhole, SHARES } from './shares.ts';

const options = {
  out: { type: 'string' },
  /** Seed of the sample: any text. */
  sample: { type: 'string' },
  'changed-since': { type: 'string' },
  /** `client`: proves the requirements on requests, on the trace of a conforming client. */
  side: { type: 'string', default: 'server' },
  /** Internal, for child processes: the index of the share to prove; the result is printed as JSON. */
  share: { type: 'string' },
} as const;
const USAGE =
  'npm run prove -- [CASSETTE] [--side server|client] [--out FILE] [--sample SEED] [--changed-since REVISION]';
const { values, positionals } = parseScriptArguments(options, USAGE);
const SIDES = ['server', 'client'] as const; // as: literal types
const side =
  SIDES.find((name) => name === values.side) ??
  rejectArguments(`--side ${values.side}: name server or client.`, USAGE);
const [cassette = 'assay-report/cassette'] = positionals;
/** `--sample` proves one of this many parts of the requirements. */
const SAMPLE_PARTS = 2;
/** The proof that reports and documents cite. */
const COMMITTED_PROOF = `cassettes/reference/${side === 'client' ? 'client-' : ''}proof.json`;

await runShareOrWhole(values.share, proveShare, proveAll);

async function proveShare(index: number): Promise<MutationReport> {
  const { sample, 'changed-since': since } = values;
  // A filter that selects everything: exceptions may be needed outside the sample, so none is reported as stale.
  const sampleFilter = sample === undefined ? undefined : () => true;
  const only = since === undefined ? sampleFilter : makeAffectedFilter(changedFiles(since));
  const share =
    sample === undefined
      ? { index, of: SHARES }
      : { index: (seedOf(sample) % SAMPLE_PARTS) * SHARES + index, of: SAMPLE_PARTS * SHARES };
  return proveCassette(cassette, { side, options: only === undefined ? { share } : { only, share } });
}

async function proveAll(): Promise<void> {
  const reports = await runAllShares<MutationReport>('first');
  if (reports === null) return;
  const report = joinMutationReports(reports);
  if (values.out !== undefined) writeFileSync(values.out, renderReport(report));
  console.log([...mutationSummary(report, cassette), ...outdatedProofWarning(report)].join('\n'));
  process.exitCode = isProofClean(report) ? 0 : 1;
}

/** The report in the format of `cassettes/reference/proof.schema.json`, one line per requirement for readable diffs. */
function renderReport({ requirements, ...proof }: MutationReport): string {
  const head = JSON.stringify({ format: 2, ...proof }).slice(0, -1);
  const lines = Object.entries(requirements)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, one]) => `${JSON.stringify(id)}:${JSON.stringify(one)}`);
  return `${head},"requirements":{\n${lines.join(',\n')}\n}}\n`;
}

/** Warns if the committed proof is missing, or if a requirement has other kinds of mutants there. */
function outdatedProofWarning({ requirements }: MutationReport): string[] {
  if (!existsSync(COMMITTED_PROOF))
    return [`${COMMITTED_PROOF} does not exist. Generate it: npm run generate:proof`];
  const committed: MutationReport = JSON.parse(readFileSync(COMMITTED_PROOF, 'utf8'));
  const kindsOf = (one: RequirementMutants | undefined): string =>
    Object.keys(one?.by ?? {})
      .sort()
      .join();
  // Counts change whenever the suites do, so only kinds are compared.
  const changed = Object.keys(requirements).filter(
    (id) => kindsOf(requirements[id]) !== kindsOf(committed.requirements[id]),
  );
  return changed.length === 0
    ? []
    : [
        `Mutants of other kinds than in ${COMMITTED_PROOF}: ${plural(changed.length, 'requirement')}. Update it: npm run generate:proof`,
      ];
}
