import type { Settings } from '../../drive/configuration/configuration.ts';
import { claimedNames, parseClaims } from '../../exchange/claims.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { shellQuote } from '../../exchange/shell-quote.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import { REJECTIONS_SUFFIX } from '../../judge/baseline/baseline-entry.ts';
import type { Catalogue } from '../../judge/requirements/catalogue.ts';
import { causeParts } from '../../judge/requirements/refusal-causes.ts';
import { isClientRequirement } from '../../judge/requirements/selection.ts';
import { extensionFlags } from '../../reports/failure/extension-flags.ts';
import { requestLine } from '../../reports/failure/wire.ts';
import { type ListingEntry, listingEntries } from '../../reports/formats/listing.ts';
import { mutationStatusOf } from '../../reports/mutation.ts';
import type { ReportedRequirement } from '../../reports/report.ts';
import { alignColumns } from '../../reports/words/layout.ts';
import { extensions, operations } from '../../schemas/index.ts';
import { plural } from '../../schemas/message-text.ts';
import { suggestNames } from '../../schemas/nearest-names.ts';
import { catalogue } from '../../suites/index.ts';
import { committedMutationReport } from '../report/mutation-score.ts';
import {
  claimFlag,
  keyFlag,
  rerunFlags,
  SEPARATE_FOLDER_FLAG,
  selectionFlags,
} from '../report/rerun-command.ts';
import { UsageError } from '../setup/usage-error.ts';
import { withRecordedTraffic } from '../traffic/recorded-traffic.ts';
import {
  existingCassette,
  findEarlierFinding,
  type LastRun,
  type LastRunContext,
  lastRunRows,
  NO_REPORT,
  readLastRun,
} from './last-run.ts';
import { exampleText } from './requirement-example.ts';

const SIDE_SUFFIXES = ['.accepted', '.rejected'];

const DETAIL_LABELS: Readonly<Partial<Record<ListingEntry['kind'], string>>> = {
  exclusion: 'why',
  choice: 'open',
};

const MAX_NAMED_SCENARIOS = 12;
const INDENT = ' '.repeat(8);

interface ExplanationOptions extends CommandSettings {
  /** Whether to produce a passing and a failing exchange with the embedded reference, which takes seconds. */
  readonly hasExamples: boolean;
  readonly width: number;
  readonly report: string | null;
}

interface CommandSettings {
  /** Target of the printed command; null for the target of the last run, or the embedded reference. */
  readonly baseUrl: string | null;
  readonly keyVariable: string;
  readonly standingClaim: Settings['claim'];
  readonly ignoresFile: boolean;
}

/**
 * Explains a requirement, choice or exclusion: yields each text as soon as it is ready. The id of a request constraint
 * without its side explains both sides; the id of a cause explains the requirement that it breaks; the id of the
 * rejections of an operation (`createRun:rejects`) lists them. Throws UsageError for an unknown id.
 */
export async function* explainRequirement(
  id: string,
  { hasExamples, width, report, ...target }: ExplanationOptions,
): AsyncGenerator<string> {
  const last = readLastRun(report);
  const suites = await catalogue('both');
  const entries = listingEntries(suites);
  if (id.endsWith(REJECTIONS_SUFFIX)) {
    const operation = id.slice(0, -REJECTIONS_SUFFIX.length);
    const members = entries.filter((one) => one.kind === 'rejected' && one.id.startsWith(`${operation}:`));
    if (members.length > 0) {
      const group = { id: `${operation}:*.rejected`, families: members.flatMap(({ families }) => families) };
      const command = aloneCommand(group, target, { last, earlier: null });
      yield await rejectionsText(operation, members, { command, last, width });
      return;
    }
  }
  const cause = causeParts(id);
  for (const entry of findEntries(cause?.requirement ?? id, entries, last)) {
    const earlier = await findEarlierFinding(cause === null ? entry.id : id, last);
    const command = aloneCommand(entry, target, { last, earlier });
    yield factsText(entry, suites, { command, last, earlier, width });
    if (hasExamples && isRequirement(entry) && entry.side === undefined)
      yield await exampleText(entry.id, suites, width);
  }
}

function findEntries(
  id: string,
  entries: readonly ListingEntry[],
  last: LastRun | null,
): readonly ListingEntry[] {
  const exact = entries.filter((one) => one.id === id);
  if (exact.length > 0) return exact;
  const sides = entries.filter((one) => SIDE_SUFFIXES.some((side) => one.id === id + side));
  if (sides.length > 0) return sides;
  const missing = last?.report.extensions?.find(
    ({ name }) =>
      id.replace(/^client:/, '').startsWith(`${name}.`) && !extensions().some((one) => one.name === name),
  );
  if (missing !== undefined)
    throw new UsageError(
      `Requirement ${id} not found: the run in ${last?.path} used the extension ${missing.name}. Name its file with --extension, or assay:${missing.name} if it is the one in the package.`,
    );
  const ids = entries
    .filter(({ side }) => (side === 'client') === isClientRequirement(id))
    .map((one) => one.id);
  throw new UsageError(`Requirement ${id} not found${suggestNames(id, ids)}. assay list prints all of them.`);
}

function isRequirement({ kind }: ListingEntry): boolean {
  return kind !== 'choice' && kind !== 'exclusion';
}

interface Explanation extends LastRunContext {
  readonly command: string;
}

function factsText(
  entry: ListingEntry,
  { scenarios, choices }: Catalogue,
  { command, last, earlier, width }: Explanation,
): string {
  const { id, kind } = entry;
  const showingScenarios = scenarios.filter(({ shows }) => shows?.has(id) === true);
  const rows = [
    ['says', entry.says],
    ['level', [entry.level, entry.basis].filter((word) => word !== null).join(', ') || 'none'],
    ['kind', kind],
    ['spec', entry.spec],
    ...(entry.family === '' ? [] : [['family', entry.family]]),
    ...(entry.detail === null ? [] : [[DETAIL_LABELS[kind] ?? 'free', entry.detail]]),
    ...(isRequirement(entry) ? proofRows(entry) : []),
    ...choices.filter((one) => one.id === id).flatMap(pinRows),
    ...(showingScenarios.length === 0
      ? []
      : [['shown by', scenarioWords(showingScenarios.map(({ name }) => name))]]),
    ...lastRunRows(id, { last, earlier, width }),
    ...(isRequirement(entry) ? [['alone', command]] : []),
  ];
  return `${id}\n\n${alignColumns(rows.map((row) => ['  ', ...row])).join('\n')}\n`;
}

function pinRows({ id, alternatives, usual }: Catalogue['choices'][number]): readonly (readonly string[])[] {
  const [pinned] = usual ?? alternatives;
  const dialect = { format: 1, name: 'my-service', choices: { [id]: pinned } };
  return [
    ...(usual === undefined ? [] : [['usual', usual.join(' or ')]]),
    ['pin', `${JSON.stringify(dialect)} in a file that --dialect names`],
  ];
}

function scenarioWords(names: readonly string[]): string {
  const unnamed = names.length - MAX_NAMED_SCENARIOS;
  return `${names.slice(0, MAX_NAMED_SCENARIOS).join(', ')}${unnamed > 0 ? ` and ${unnamed} more scenarios` : ''}`;
}

function aloneCommand(
  { id, side, families }: Pick<ListingEntry, 'id' | 'side' | 'families'>,
  { baseUrl: requestedUrl, keyVariable, standingClaim, ignoresFile }: CommandSettings,
  { last, earlier }: Pick<Explanation, 'last' | 'earlier'>,
): string {
  const noConfigFlag = ignoresFile ? ' --no-config' : '';
  if (side === 'client')
    return `npx assay client${extensionFlags()}${noConfigFlag} --only ${shellQuote(id)} -- COMMAND`;
  const selection = `${noConfigFlag}${selectionFlags(id, earlier?.exchange, () => earlier?.exchanges ?? [])}${SEPARATE_FOLDER_FLAG}`;
  const lastTarget = last?.report.target;
  // The embedded reference of the last run no longer listens on its port.
  const baseUrl =
    requestedUrl ?? (lastTarget === undefined || lastTarget.name === 'reference' ? null : lastTarget.baseUrl);
  if (baseUrl === null) return `npx assay run${extensionFlags()}${selection}`;
  const header = earlier?.header ?? null;
  if (header === null) {
    const hasStandingClaims = typeof standingClaim !== 'string' && last !== null;
    const claims = hasStandingClaims ? ({ ...parseClaims(last.report.claims), how: 'given' } as const) : null;
    const claim = claimWith(families, claims, standingClaim);
    return `npx assay run --base-url ${shellQuote(baseUrl)}${extensionFlags()}${claim}${selection}`;
  }
  const target = { ...header.target, name: 'service', baseUrl };
  return `npx assay run${rerunFlags({ ...header, target }, earlier?.exchange)}${keyFlag(header, keyVariable)}${claimWith(families, header.claims, standingClaim)}${selection}`;
}

/**
 * The flag for the claim of the printed command; empty if the claim holds without a flag. A claim without any of
 * these families also gets the first of them, because the command would otherwise judge nothing.
 */
function claimWith(
  families: readonly string[],
  claims: TraceHeader['claims'] | null,
  standingClaim: Settings['claim'],
): string {
  const standingNames = typeof standingClaim === 'string' ? null : standingClaim;
  const givenNames = claims?.how === 'given' ? claimedNames(claims) : null;
  const names = claims === null ? standingNames : givenNames;
  const [family] = families;
  if (family !== undefined && names?.every((name) => !coversAny(name, families)))
    return ` --claim ${shellQuote([...names, family].join(','))}`;
  return claims === null ? '' : claimFlag({ claims }, { standingClaim });
}

function coversAny(name: string, families: readonly string[]): boolean {
  const variants = operations().find(({ id }) => id === name)?.variants ?? [];
  return [name, ...variants.map(({ family }) => family)].some((one) => families.includes(one));
}

function proofRows({ id, families, side }: ListingEntry): readonly (readonly string[])[] {
  if (extensions().some(({ name }) => families.includes(name)))
    return [['proof', 'none in the package for an extension: run assay prove on a recorded run']];
  const status = mutationStatusOf(committedMutationReport(side))(id);
  return status === null ? [] : [['proof', status.words]];
}

/**
 * Explains the requirements that an operation rejects invalid requests, which a baseline accepts with one entry. The
 * failures of the last run come first, each with an accepted request if the cassette of that run exists.
 */
async function rejectionsText(
  operation: string,
  entries: readonly ListingEntry[],
  { command, last, width }: Omit<Explanation, 'earlier'>,
): Promise<string> {
  const verdicts = new Map(last?.report.requirements.map((one) => [one.id, one]));
  const isFailed = ({ id }: ListingEntry) => verdicts.get(id)?.verdict === 'fail';
  const failed = entries.filter(isFailed);
  const members = [...failed, ...entries.filter((one) => !isFailed(one))];
  const facts = [
    ['says', `${operation} rejects each invalid request.`],
    ['kind', 'group of requirements; a baseline accepts its failures with one entry'],
    ['members', plural(members.length, 'requirement')],
    last === null
      ? ['last run', NO_REPORT]
      : [`in ${last.path}`, failed.length === 0 ? 'none fails' : plural(failed.length, 'failure')],
    ['alone', command],
  ];
  const requirements = failed.flatMap(({ id }) => verdicts.get(id) ?? []);
  const requests = await acceptedRequests(requirements, last, width - INDENT.length);
  const rows = alignColumns(
    members.map(({ id, says, level }) => ['  ', verdicts.get(id)?.verdict ?? '', level ?? '', id, says]),
  );
  const lines = rows.flatMap((row, n) => {
    const request = requests.get(members[n]?.id ?? '');
    return request === undefined ? [row] : [row, `${INDENT}${request}`];
  });
  const head = alignColumns(facts.map((row) => ['  ', ...row])).join('\n');
  return `${operation}${REJECTIONS_SUFFIX}\n\n${head}\n\n${lines.join('\n')}\n`;
}

async function acceptedRequests(
  failed: readonly ReportedRequirement[],
  last: LastRun | null,
  width: number,
): Promise<ReadonlyMap<string, string>> {
  const path = last === null ? null : existingCassette(last);
  if (failed.length === 0 || path === null) return new Map();
  return withRecordedTraffic([path], async (recorded) => {
    const describe = (exchange: Exchange) => `${exchange.id}  ${requestLine(exchange, width)}`;
    return new Map(
      failed.flatMap(({ id, findings }) => {
        const exchange = recorded.exchange(findings[0]?.exchange ?? '');
        return exchange === undefined ? [] : [[id, describe(exchange)] as const];
      }),
    );
  });
}
