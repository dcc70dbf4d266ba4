// The output of `assay run --dry-run`.
import type { Skip } from '../../exchange/note.ts';
import { causeOfSkip } from '../../judge/verdict/cause.ts';
import { formatBytes, formatNumber, plural } from '../report.ts';
import { causeWords } from '../words/cause.ts';
import { columns } from '../words/layout.ts';

/** Requests and costs of the scenarios of one family. */
export interface FamilyEstimate {
  /** Counts of the rehearsal on the reference; a target that answers otherwise may cost more or less. */
  readonly scenarios: number;
  readonly requests: number;
  readonly uploads: number;
  /** Bytes of the uploads. */
  readonly uploaded: number;
  readonly tokens: number;
  readonly costs: ReadonlySet<string>;
  /** Objects that are created, by operation. */
  readonly created: ReadonlyMap<string, number>;
}

/** The expected requests of a run, counted by running it on the reference. */
export interface RunEstimate {
  /** Scenarios that would run, with their cost classes. */
  readonly run: readonly { readonly name: string; readonly cost: readonly string[] }[];
  /** Scenarios that would not run, and why. */
  readonly skipped: readonly ({ readonly scenario: string } & Skip)[];
  readonly byFamily: ReadonlyMap<string, FamilyEstimate>;
  /** The target, to which nothing was sent. */
  readonly baseUrl: string;
  /** Whether the families are those of `--claim`, or all, because only a run asks the target what it offers. */
  readonly families: 'claimed' | 'all';
  /** Roles for which the run would find a model by trial; empty where models are given. */
  readonly searchedRoles: readonly string[];
  /** Trial requests for one role, at most. */
  readonly trials: number;
  /** Why the count is incomplete; empty if it is complete. */
  readonly broken: readonly string[];
}

/** Scenarios that are named of those with one reason. */
const NAMED = 3;

/** The estimate as it prints. */
export function runEstimateText(estimate: RunEstimate): string {
  const { run, skipped, byFamily, baseUrl, families, searchedRoles, trials } = estimate;
  const all = families === 'all' ? ' of all families (--claim auto asks only in a run)' : '';
  const lines = [
    ...run.map(({ name, cost }) => `run   ${name}  ${cost.join(', ')}`),
    ...skippedLines(skipped),
    '',
    ...table(byFamily),
    '',
    `${plural(run.length, 'scenario')}${all} would run, ${skipped.length} would not; counted on the reference, nothing was sent to ${baseUrl}`,
    ...(searchedRoles.length === 0
      ? []
      : [
          `no --model: before the run, at most ${trials} requests of one token or one object for each of ${searchedRoles.length} roles find the models`,
        ]),
  ];
  return `${lines.join('\n')}\n`;
}

/** Scenarios that would not run, grouped by the reason. */
function skippedLines(skipped: RunEstimate['skipped']): string[] {
  const groups = new Map<string, string[]>();
  for (const skip of skipped) {
    const why = causeWords(causeOfSkip(skip));
    groups.set(why, [...(groups.get(why) ?? []), skip.scenario]);
  }
  return [...groups].map(([why, names]) => {
    const more = names.length > NAMED ? ', …' : '';
    return `skip  ${plural(names.length, 'scenario')}  ${why}  (${names.slice(0, NAMED).join(', ')}${more})`;
  });
}

/** A row for each family, and the total. */
function table(byFamily: RunEstimate['byFamily']): string[] {
  const rows = [...byFamily].map(([family, one]) => [
    family,
    plural(one.scenarios, 'scenario'),
    plural(one.requests, 'request'),
    one.uploads === 0 ? '' : `${plural(one.uploads, 'upload')} (${formatBytes(one.uploaded)})`,
    one.tokens === 0 ? '' : plural(one.tokens, 'token'),
    [...one.costs].join(' '),
    [...one.created].map(([operation, times]) => `${operation} ${formatNumber(times)}`).join(', '),
  ]);
  const sum = (of: (one: FamilyEstimate) => number) =>
    [...byFamily.values()].reduce((all, one) => all + of(one), 0);
  const [scenarios, requests, uploads, uploaded, tokens] = [
    sum((one) => one.scenarios),
    sum((one) => one.requests),
    sum((one) => one.uploads),
    sum((one) => one.uploaded),
    sum((one) => one.tokens),
  ];
  const total = [
    'in all',
    plural(scenarios, 'scenario'),
    plural(requests, 'request'),
    `${plural(uploads, 'upload')} (${formatBytes(uploaded)})`,
    plural(tokens, 'token'),
  ];
  const head = ['family', 'scenarios', 'requests', 'uploads', 'tokens', 'cost classes', 'would create'];
  return rows.length === 0 ? [] : columns([head, ...rows, total]);
}
