// `npm run prove` makes all mutants and equivalent mutants of the trace of a conforming run, in two processes. Exits with 1 if a mutant
// survives or a requirement fails for an equivalent mutant, 2 if nothing can be proved.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { proveCassette } from '../pipeline/prove.ts';
import {
  hasNoSurvivors,
  joinMutationReports,
  type MutationReport,
  type RequirementMutants,
} from '../proof/mutation-report.ts';
import { mutationSummary } from '../reports/mutation.ts';
import { changedFiles, isConcernedBy } from './changed.ts';
import { allShares, SHARES, scriptArguments, seedOf, shareOrWhole } from './words.ts';

const options = {
  out: { type: 'string' },
  /** Seed of the sample: any text. Half of the requirements are proved. */
  sample: { type: 'string' },
  'changed-since': { type: 'string' },
  /** `client`: proves the requirements on requests, on the trace of a conforming client. */
  side: { type: 'string', default: 'server' },
  /** Internal, for child processes: the index of the share to prove; the result is printed as JSON. */
  share: { type: 'string' },
} as const;
const { values, positionals } = scriptArguments(
  options,
  'npm run prove -- [CASSETTE] [--side server|client] [--out FILE] [--sample SEED] [--changed-since REVISION]',
);
/** The cassette of `npm start` by default. */
const [cassette = 'assay-report/cassette'] = positionals;
/** Number of parts of the proof, of which `--sample` selects one. */
const HALVES = 2;
/** The committed proof, which reports and documents cite. */
const KEPT =
  values.side === 'client' ? 'cassettes/reference/client-proof.json' : 'cassettes/reference/proof.json';

await shareOrWhole(values.share, shareOf, proveAll);

async function shareOf(index: number): Promise<MutationReport> {
  const since = values['changed-since'];
  // Exceptions can be needed by requirements outside a sample: with a filter, none is called stale.
  const inSample = values.sample === undefined ? undefined : () => true;
  const only = since === undefined ? inSample : isConcernedBy(changedFiles(since));
  const { sample } = values;
  const share =
    sample === undefined
      ? { index, of: SHARES }
      : { index: (seedOf(sample) % HALVES) * SHARES + index, of: HALVES * SHARES };
  const part = { ...(only === undefined ? {} : { only }), share };
  return proveCassette(cassette, { side: values.side === 'client' ? 'client' : 'server', shard: part });
}

async function proveAll(): Promise<void> {
  const shares = await allShares<MutationReport>('of the first');
  if (shares === null) return;
  const report = joinMutationReports(shares);
  if (values.out !== undefined) writeFileSync(values.out, renderReport(report));
  console.log([...mutationSummary(report, cassette), ...fallenBehind(report)].join('\n'));
  process.exitCode = hasNoSurvivors(report) ? 0 : 1;
}

/** The report in the format of `cassettes/reference/proof.schema.json`, one line per requirement. */
function renderReport({ requirements, ...proof }: MutationReport): string {
  // One line per requirement keeps diffs readable.
  const head = JSON.stringify({ format: 2, ...proof }).slice(0, -1);
  const lines = Object.entries(requirements)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, one]) => `${JSON.stringify(id)}:${JSON.stringify(one)}`);
  return `${head},"requirements":{\n${lines.join(',\n')}\n}}\n`;
}

/** A line if the committed proof has other requirements or kinds. */
function fallenBehind({ requirements }: MutationReport): string[] {
  if (!existsSync(KEPT)) return [`${KEPT} does not exist: npm run generate:proof`];
  const kept: MutationReport = JSON.parse(readFileSync(KEPT, 'utf8'));
  const kinds = (one: RequirementMutants | undefined): string =>
    Object.keys(one?.by ?? {})
      .sort()
      .join();
  // Counts differ with every change of the suites, so only kinds are compared.
  const others = Object.keys(requirements).filter(
    (id) => kinds(requirements[id]) !== kinds(kept.requirements[id]),
  );
  return others.length === 0 ? [] : [`${others.length} of them differ in ${KEPT}: npm run generate:proof`];
}
