import { cassetteFolderOf } from '../../pipeline/traffic/traffic-part.ts';
import { plural } from '../../reports/report.ts';
import type { AddCommand } from '../options/command.ts';

/** Can be repeated: a folder that needs no recovery is left as it is. */
export const addCommand: AddCommand = (program) => {
  program
    .command('recover')
    .description(
      'Finishes the cassette of a recording whose process was killed, or whose disk was full. Other commands read such a ' +
        'recording without changing it. Secrets that became known during the recording are replaced. An interrupted ' +
        'recording that was meant to replace a cassette is finished in its own folder and replaces nothing.',
    )
    .argument('<dir...>', 'cassette folders, or report directories')
    .addHelpText('after', '\nExample:\n  assay recover cassettes/session')
    .action(async (dirs: string[]) => {
      const [{ recoverCassette }, { openCassette }, { holdsRecording, recordingDir }] = await Promise.all([
        import('../../exchange/cassette/finish.ts'),
        import('../../exchange/cassette/cassette.ts'),
        import('../../exchange/cassette/folder.ts'),
      ]);
      for (const given of dirs) {
        // A report directory stands for its cassette. A trailing slash would place the neighbouring folder
        // inside.
        const dir = cassetteFolderOf(given) ?? given.replace(/(?<=.)\/+$/, '');
        const isRecovered = recoverCassette(dir);
        const cassette = await openCassette(dir);
        const what = isRecovered ? 'recovered' : 'nothing to recover';
        process.stdout.write(`${dir}: ${what}, ${plural(cassette.size, 'exchange')}\n`);
        cassette.close();
        // `record` writes to a neighbouring folder, where a killed recorder leaves its journal.
        const beside = recordingDir(dir);
        if (holdsRecording(beside))
          process.stdout.write(
            `${beside}: an interrupted recording that was to replace it. Finish it there with: npx assay recover ${beside}\n`,
          );
      }
    });
};
