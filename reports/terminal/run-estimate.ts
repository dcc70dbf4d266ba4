import type { Skip } from '../../exchange/note.ts';
import { causeOfSkip } from '../../judge/verdict/cause.ts';
import { groupBy } from '../../schemas/maps.ts';
import { compact, formatBytes, formatNumber, plural } from '../../schemas/message-text.ts';
import { causeWords } from '../words/cause.ts';
import { alignColumns } from '../words/layout.ts';

/** Counts of a dry run on the reference; other targets may cost more or less. */
interface FamilyEstimate {
  readonly scenarios: number;
  readonly requests: number;
  readonly uploads: number;
  readonly uploadBytes: number;
  readonly tokens: number;
  readonly costs: ReadonlySet<string>;
  readonly created: ReadonlyMap<string, number>;
}

export interface RunEstimate {
  readonly run: readonly { readonly name: string; readonly cost: readonly string[] }[];
  readonly skipped: readonly ({ readonly scenario: string } & Skip)[];
  readonly byFamily: ReadonlyMap<string, FamilyEstimate>;
  /** Null for the embedded reference. */
  readonly baseUrl: string | null;
  /** `all` for `--claim auto`: only a run can detect what the target offers. */
  readonly families: 'claimed' | 'all';
  readonly searchedRoles: readonly string[];
  /** Maximum number of models that discovery tries for one role. */
  readonly trials: number;
  readonly problems: readonly string[];
}

const MAX_NAMED_SCENARIOS = 3;

export function runEstimateText(estimate: RunEstimate): string {
  const { run, skipped, byFamily, baseUrl, families, searchedRoles, trials } = estimate;
  const scope = families === 'all' ? ' of all families (--claim auto asks only in a run)' : '';
  const lines = compact(
    ...run.map(({ name, cost }) => `run   ${name}  ${cost.join(', ')}`),
    ...skippedLines(skipped),
    '',
    ...familyTable(byFamily),
    '',
    `${plural(run.length, 'scenario')}${scope} would run, ${formatNumber(skipped.length)} would not; counted on the reference${baseUrl === null ? '' : `, nothing was sent to ${baseUrl}`}`,
    searchedRoles.length > 0 &&
      `before the run, trials of at most ${plural(trials, 'model')} for each role, with minimal requests, find the models of ${plural(searchedRoles.length, 'role')}`,
  );
  return `${lines.join('\n')}\n`;
}

function skippedLines(skipped: RunEstimate['skipped']): string[] {
  return [...groupBy(skipped, (skip) => causeWords(causeOfSkip(skip)))].map(([why, skips]) => {
    const names = skips.slice(0, MAX_NAMED_SCENARIOS).map(({ scenario }) => scenario);
    const more = skips.length > MAX_NAMED_SCENARIOS ? ', …' : '';
    return `skip  ${plural(skips.length, 'scenario')}  ${why}  (${names.join(', ')}${more})`;
  });
}

function familyTable(byFamily: RunEstimate['byFamily']): string[] {
  const rows = [...byFamily].map(([family, one]) => [
    family,
    plural(one.scenarios, 'scenario'),
    plural(one.requests, 'request'),
    one.uploads === 0 ? '' : `${plural(one.uploads, 'upload')} (${formatBytes(one.uploadBytes)})`,
    one.tokens === 0 ? '' : plural(one.tokens, 'token'),
    [...one.costs].join(' '),
    [...one.created].map(([operation, count]) => `${operation} ${formatNumber(count)}`).join(', '),
  ]);
  const sum = (figure: 'scenarios' | 'requests' | 'uploads' | 'uploadBytes' | 'tokens') =>
    [...byFamily.values()].reduce((total, one) => total + one[figure], 0);
  const total = [
    'in all',
    plural(sum('scenarios'), 'scenario'),
    plural(sum('requests'), 'request'),
    `${plural(sum('uploads'), 'upload')} (${formatBytes(sum('uploadBytes'))})`,
    plural(sum('tokens'), 'token'),
  ];
  const head = ['family', 'scenarios', 'requests', 'uploads', 'tokens', 'cost classes', 'would create'];
  return rows.length === 0 ? [] : alignColumns([head, ...rows, total]);
}
