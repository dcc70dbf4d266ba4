import { randomUUID } from 'node:crypto';
import type { Exchange } from '../../exchange/exchange.ts';
import { UsageError } from '../../pipeline/setup/usage-error.ts';
import { type RecordedTraffic, withRecordedTraffic } from '../../pipeline/traffic/recorded-traffic.ts';
import { exchangeLine, exchangeText } from '../../reports/terminal/exchange.ts';
import { coloursFor } from '../../reports/words/layout.ts';
import type { Execute } from '../options/command.ts';
import { coloursOf } from '../output/colours.ts';
import { columnsOf } from '../output/print-report.ts';
import { harNotices } from '../output/run-notices.ts';

interface Flags {
  readonly color: boolean;
  readonly requestBody?: true;
  readonly apiRoot?: string;
}

interface Selection {
  readonly paths: readonly string[];
  readonly ids: readonly string[];
  readonly apiRoot: string | undefined;
}

export const execute: Execute<Flags> = async ({ args, flags: { color, requestBody, apiRoot } }) => {
  const selection = { ...selectionOf(args), apiRoot };
  const colours = coloursOf(process.stdout, color);
  const print = () => (selection.ids.length === 0 ? list(selection) : printExchanges(selection, colours));
  if (requestBody === true) await showRequestBody(selection);
  else await (process.env['GITHUB_ACTIONS'] === 'true' ? withoutWorkflowCommands(print) : print());
  return 0;
};

/** GitHub executes lines such as `::error::` of any output, also of recorded bodies. A random word ends the suspension. */
async function withoutWorkflowCommands(print: () => Promise<void>): Promise<void> {
  const word = randomUUID();
  process.stdout.write(`::stop-commands::${word}\n`);
  try {
    await print();
  } finally {
    process.stdout.write(`::${word}::\n`);
  }
}

function selectionOf(what: readonly string[]): Omit<Selection, 'apiRoot'> {
  const ids = what.filter((word) => /^e\d+$/.test(word));
  const paths = what.filter((word) => !ids.includes(word));
  if (paths.length > 0) return { ids, paths };
  throw new UsageError(
    `show ${what.join(' ')}: it takes a cassette, then the exchanges to print, as in: assay show assay-report/cassette e3`,
  );
}

/** Ids count from e1 in the order in which exchanges ended. */
async function printExchanges({ ids, paths, apiRoot }: Selection, colours: 'on' | 'off'): Promise<void> {
  await withRecordedTraffic(
    paths,
    async (recorded) => {
      process.stderr.write(harNotices(recorded.har));
      for (const id of ids) {
        const exchange = findExchange(recorded, id, paths);
        process.stdout.write(`${exchangeText(exchange, coloursFor(colours))}\n`);
      }
    },
    { apiRoot },
  );
}

function findExchange(recorded: RecordedTraffic, id: string, paths: readonly string[]): Exchange {
  const exchange = recorded.exchange(id);
  if (exchange !== undefined) return exchange;
  const all = recorded.size === 0 ? 'it is empty' : `it has e1 to e${recorded.size}`;
  throw new UsageError(`${paths.join(' ')} has no exchange ${id}: ${all}.`);
}

async function list({ paths, apiRoot }: Selection): Promise<void> {
  await withRecordedTraffic(
    paths,
    async (recorded) => {
      if (recorded.size === 0) throw new UsageError(`${paths.join(' ')} has no exchange: it is empty.`);
      const width = columnsOf(process.stdout);
      for (let n = 1; n <= recorded.size; n += 1)
        process.stdout.write(
          `${exchangeLine(findExchange(recorded, `e${n}`, paths), { widest: recorded.size, width })}\n`,
        );
    },
    { apiRoot },
  );
}

async function showRequestBody({ ids: [id, ...others], paths, apiRoot }: Selection): Promise<void> {
  if (id === undefined || others.length > 0)
    throw new UsageError('--request-body takes one exchange, such as e3.');
  await withRecordedTraffic(
    paths,
    async (recorded) => {
      const { bytes } = findExchange(recorded, id, paths).request.body;
      if (bytes === null) throw new UsageError(`The body of the request ${id} was not kept.`);
      process.stdout.write(bytes);
    },
    { apiRoot },
  );
}
