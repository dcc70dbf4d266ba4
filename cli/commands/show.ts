import { UsageError } from '../../pipeline/usage-error.ts';
import type { AddCommand } from '../command.ts';

/** `assay show CASSETTE… eN…`: prints exchanges whole. */
export const showCommand: AddCommand = (program) => {
  program
    .command('show')
    .description(
      'Prints exchanges as they were recorded, without secrets: the header fields and bodies of both sides, and of a ' +
        'stream each event with the time at which it came.',
    )
    .argument('<what...>', 'the folder of a cassette (or several, as for check), then exchanges: e3 e17')
    .option('--no-color', 'print without colours')
    .addHelpText('after', '\nExample:\n  assay show assay-report/cassette e3')
    .action(async (what: string[], flags: { color: boolean }) => {
      const isId = (word: string) => /^e\d+$/.test(word);
      const ids = what.filter(isId);
      const paths = what.filter((word) => !isId(word));
      if (ids.length === 0 || paths.length === 0)
        throw new UsageError(
          `show ${what.join(' ')}: it takes a cassette and the exchanges to print, as in: assay show assay-report/cassette e3`,
        );
      const [
        { openRecordedTraffic: openRecorded },
        { exchangeText: wholeExchange },
        { coloursFor: paint },
        { harNotice },
      ] = await Promise.all([
        import('../../pipeline/recorded-traffic.ts'),
        import('../../reports/terminal/whole-exchange.ts'),
        import('../../reports/terminal/colours.ts'),
        import('../notices/har-notice.ts'),
      ]);
      const recorded = await openRecorded(paths);
      process.stderr.write(recorded.har.map(harNotice).join(''));
      const colours = flags.color && process.stdout.isTTY === true ? 'on' : 'off';
      try {
        for (const id of ids) {
          const exchange = recorded.exchange(id);
          if (exchange === undefined) {
            const all = recorded.size === 0 ? 'it is empty' : `it has e1 to e${recorded.size}`;
            throw new UsageError(`${paths.join(' ')} has no exchange ${id}: ${all}.`);
          }
          process.stdout.write(`${wholeExchange(exchange, paint(colours))}\n`);
        }
      } finally {
        recorded.close();
      }
    });
};
