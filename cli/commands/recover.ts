import { cassetteFolderOf } from '../../pipeline/cassette-folder.ts';
import { plural } from '../../reports/report.ts';
import type { AddCommand } from '../command.ts';

/** `assay recover DIR…`: makes the cassette of what an interrupted recording left. */
export const recover: AddCommand = (program) => {
  program
    .command('recover')
    .description(
      'Makes the cassette of a recording whose process was killed, or that could not be finished because the disk was full. ' +
        'Other commands read such a recording as it is and change nothing. Secrets that had become known during the recording ' +
        'are taken out. An interrupted recording that was to replace a cassette replaces nothing: it is finished in its own folder.',
    )
    .argument('<dir...>', 'folders of cassettes, or of reports')
    .addHelpText('after', '\nExample:\n  assay recover cassettes/session')
    .action(async (dirs: string[]) => {
      const [{ recoverCassette }, { openCassette }, { holdsRecording, recordingDir }] = await Promise.all([
        import('../../exchange/cassette/journal/finish.ts'),
        import('../../exchange/cassette/read/cassette.ts'),
        import('../../exchange/cassette/write/places.ts'),
      ]);
      for (const given of dirs) {
        const dir = cassetteFolderOf(given) ?? given.replace(/(?<=.)\/+$/, '');
        const isRecovered = recoverCassette(dir);
        const cassette = await openCassette(dir);
        const what = isRecovered ? 'recovered' : 'nothing to recover';
        process.stdout.write(`${dir}: ${what}, ${plural(cassette.size, 'exchange')}\n`);
        cassette.close();
        const beside = recordingDir(dir);
        if (holdsRecording(beside))
          process.stdout.write(
            `${beside}: an interrupted recording that was to replace it. To finish it there: npx assay recover ${beside}\n`,
          );
      }
    });
};
