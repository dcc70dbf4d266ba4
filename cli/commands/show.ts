import { randomUUID } from 'node:crypto';
import type { Exchange } from '../../exchange/exchange.ts';
import { UsageError } from '../../pipeline/setup/usage-error.ts';
import { type RecordedTraffic, withRecordedTraffic } from '../../pipeline/traffic/recorded-traffic.ts';
import { exchangeLine, exchangeText } from '../../reports/terminal/exchange.ts';
import { coloursFor } from '../../reports/words/colours.ts';
import type { Execute } from '../options/command.ts';
import { importNotices } from '../output/import-notices.ts';
import { colourMode, columnsOf } from '../output/terminal.ts';

interface Flags {
  readonly color: boolean;
  readonly requestBody?: true;
  readonly apiRoot?: string;
}

/** Ids count from e1 in the order in which exchanges began. */
export const execute: Execute<Flags> = async ({ args, flags: { color, requestBody, apiRoot } }) => {
  const ids = args.filter((word) => /^e\d+$/.test(word));
  const paths = args.filter((word) => !ids.includes(word));
  if (paths.length === 0)
    throw new UsageError(
      `show ${args.join(' ')}: it takes a cassette, then the exchanges to print, as in: assay show assay-report/cassette e3`,
    );
  const [first = ''] = ids;
  if (requestBody === true && ids.length !== 1)
    throw new UsageError('--request-body takes one exchange, such as e3.');
  const print = () =>
    withRecordedTraffic(
      paths,
      async (recorded) => {
        const find = (id: string) => findExchange(recorded, id, paths);
        if (requestBody === true) return printRequestBody(find(first));
        if (ids.length === 0) return printList(recorded, paths);
        process.stderr.write(importNotices(recorded.imported));
        const paint = coloursFor(colourMode(process.stdout, color));
        for (const id of ids) process.stdout.write(`${exchangeText(find(id), paint)}\n`);
      },
      { apiRoot },
    );
  const isRaw = requestBody === true || process.env['GITHUB_ACTIONS'] !== 'true';
  await (isRaw ? print() : withoutWorkflowCommands(print));
  return 0;
};

/** Suspends workflow commands while printing: GitHub executes lines such as `::error::` even in recorded bodies. */
async function withoutWorkflowCommands(print: () => Promise<void>): Promise<void> {
  const token = randomUUID();
  process.stdout.write(`::stop-commands::${token}\n`);
  try {
    await print();
  } finally {
    process.stdout.write(`::${token}::\n`);
  }
}

function findExchange(recorded: RecordedTraffic, id: string, paths: readonly string[]): Exchange {
  const exchange = recorded.exchange(id);
  if (exchange !== undefined) return exchange;
  const range = recorded.size === 0 ? 'it is empty' : `it has e1 to e${recorded.size}`;
  throw new UsageError(`${paths.join(' ')} has no exchange ${id}: ${range}.`);
}

function printList(recorded: RecordedTraffic, paths: readonly string[]): void {
  const { size: maxNumber } = recorded;
  if (maxNumber === 0) throw new UsageError(`${paths.join(' ')} has no exchange: it is empty.`);
  const style = { maxNumber, width: columnsOf(process.stdout) };
  for (let n = 1; n <= maxNumber; n += 1)
    process.stdout.write(`${exchangeLine(findExchange(recorded, `e${n}`, paths), style)}\n`);
}

function printRequestBody({ id, request: { body } }: Exchange): void {
  if (body.bytes === null) throw new UsageError(`The request body of ${id} was not kept.`);
  process.stdout.write(body.bytes);
}
