import { cassetteFolderOf } from '../../pipeline/traffic/traffic-part.ts';
import { plural } from '../../reports/report.ts';
import type { Execute } from '../options/command.ts';

/** Can be repeated: a folder that needs no recovery is left as it is. */
export const execute: Execute<object> = async ({ args }) => {
  const [{ recoverCassette }, { openCassette }, { holdsRecording, recordingDir }] = await Promise.all([
    import('../../exchange/cassette/finish.ts'),
    import('../../exchange/cassette/cassette.ts'),
    import('../../exchange/cassette/folder.ts'),
  ]);
  for (const given of args) {
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
  return 0;
};
