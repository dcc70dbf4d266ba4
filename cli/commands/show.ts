import { UsageError } from '../../pipeline/usage-error.ts';
import type { AddCommand } from '../command.ts';

interface Flags {
  /** False with `--no-color`. */
  readonly color: boolean;
}

/** Paths of recorded traffic, and ids of exchanges in it. */
interface Selection {
  readonly paths: readonly string[];
  readonly ids: readonly string[];
}

/**
 * `assay show CASSETTE… eN…`: prints exchanges in full, as they were recorded. Exits with 2 when an exchange does not exist;
 * those before it have been printed.
 */
export const showCommand: AddCommand = (program) => {
  program
    .command('show')
    .description(
      'Prints exchanges in full, as they were recorded, with secrets replaced: header fields and bodies of both sides, and ' +
        'each event of a stream with its arrival time.',
    )
    .argument('<what...>', 'cassette folder (or several, as for check), then exchanges: e3 e17')
    .option('--no-color', 'print without colours')
    .addHelpText('after', '\nExample:\n  assay show assay-report/cassette e3')
    .action((what: string[], { color }: Flags) =>
      show(selectionOf(what), color && process.stdout.isTTY === true ? 'on' : 'off'),
    );
};

/** Separates ids (`e` and a number) from paths. Throws UsageError where either is missing. */
function selectionOf(what: readonly string[]): Selection {
  const ids = what.filter((word) => /^e\d+$/.test(word));
  const paths = what.filter((word) => !ids.includes(word));
  if (ids.length > 0 && paths.length > 0) return { ids, paths };
  throw new UsageError(
    `show ${what.join(' ')}: it takes a cassette and the exchanges to print, as in: assay show assay-report/cassette e3`,
  );
}

/**
 * Prints the exchanges in the order of the command line; ids count from e1 in the order in which exchanges
 * ended.
 */
async function show({ ids, paths }: Selection, colours: 'on' | 'off'): Promise<void> {
  // An unfinished recording is read, too: its journal is indexed in memory and nothing is written.
  const [{ openRecordedTraffic }, { exchangeText }, { coloursFor }, { harNotices }] = await Promise.all([
    import('../../pipeline/traffic/recorded-traffic.ts'),
    import('../../reports/terminal/whole-exchange.ts'),
    import('../../reports/terminal/colours.ts'),
    import('../notices/har-notice.ts'),
  ]);
  const recorded = await openRecordedTraffic(paths);
  process.stderr.write(harNotices(recorded.har));
  try {
    for (const id of ids) {
      const exchange = recorded.exchange(id);
      if (exchange === undefined) {
        const all = recorded.size === 0 ? 'it is empty' : `it has e1 to e${recorded.size}`;
        throw new UsageError(`${paths.join(' ')} has no exchange ${id}: ${all}.`);
      }
      process.stdout.write(`${exchangeText(exchange, coloursFor(colours))}\n`);
    }
  } finally {
    recorded.close();
  }
}
