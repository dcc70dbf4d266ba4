import { existsSync } from 'node:fs';
import type { Exchange } from '../../exchange/exchange.ts';
import { REJECTIONS } from '../../judge/baseline/covering-entries.ts';
import { requestLine } from '../../reports/failure/wire.ts';
import type { ListingEntry } from '../../reports/formats/listing.ts';
import { plural, type ReportedRequirement } from '../../reports/report.ts';
import { columns } from '../../reports/words/layout.ts';
import { withRecordedTraffic } from '../traffic/recorded-traffic.ts';
import { cassetteOf, type LastRun, NO_REPORT } from './last-run.ts';

interface Explained {
  readonly alone: string;
  readonly last: LastRun | null;
  readonly width: number;
}

/**
 * Explains the group of all invalid requests that an operation must reject, which a baseline accepts with one entry:
 * each of its requirements, and below those that failed in the last run the first request that was accepted.
 */
export async function rejectionsText(
  operation: string,
  all: readonly ListingEntry[],
  { alone, last, width }: Explained,
): Promise<string> {
  const verdicts = new Map(last?.report.requirements.map((one) => [one.id, one]));
  const isFailed = ({ id }: ListingEntry) => verdicts.get(id)?.verdict === 'fail';
  const failed = all.filter(isFailed);
  const members = [...failed, ...all.filter((one) => !isFailed(one))];
  const facts = [
    ['says', `${operation} rejects each invalid request.`],
    ['kind', 'group of requirements; a baseline accepts its failures with one entry'],
    ['members', plural(members.length, 'requirement')],
    last === null
      ? ['last run', NO_REPORT]
      : [`in ${last.path}`, failed.length === 0 ? 'none fails' : plural(failed.length, 'failure')],
    ['alone', alone],
  ];
  const requests = await acceptedRequests(
    failed.flatMap(({ id }) => verdicts.get(id) ?? []),
    last,
    width - INDENT.length,
  );
  const rows = columns(
    members.map(({ id, says, level }) => ['  ', verdicts.get(id)?.verdict ?? '', level ?? '', id, says]),
  );
  const lines = rows.flatMap((row, n) => {
    const request = requests.get(members[n]?.id ?? '');
    return request === undefined ? [row] : [row, `${INDENT}${request}`];
  });
  const head = columns(facts.map((row) => ['  ', ...row])).join('\n');
  return `${operation}${REJECTIONS}\n\n${head}\n\n${lines.join('\n')}\n`;
}

const INDENT = ' '.repeat(8);

/** By requirement, the request of its first finding, with the exchange; empty if the cassette is gone. */
async function acceptedRequests(
  failed: readonly ReportedRequirement[],
  last: LastRun | null,
  width: number,
): Promise<ReadonlyMap<string, string>> {
  const cassette = last?.report.cassette ?? null;
  const path = last === null || cassette === null ? null : cassetteOf(last.path, cassette);
  if (failed.length === 0 || path === null || !existsSync(path)) return new Map();
  return withRecordedTraffic([path], async (recorded) => {
    const line = (exchange: Exchange) => `${exchange.id}  ${requestLine(exchange, width)}`;
    return new Map(
      failed.flatMap(({ id, findings }) => {
        const exchange = recorded.exchange(findings[0]?.exchange ?? '');
        return exchange === undefined ? [] : [[id, line(exchange)] as const];
      }),
    );
  });
}
