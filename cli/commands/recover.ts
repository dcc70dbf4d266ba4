import { openCassette } from '../../exchange/cassette/cassette.ts';
import { recoverCassette } from '../../exchange/cassette/finish.ts';
import { holdsRecording, recordingDir } from '../../exchange/cassette/folder.ts';
import { cassetteFolderOf } from '../../pipeline/traffic/traffic-part.ts';
import { plural } from '../../reports/words/text.ts';
import type { Execute } from '../options/command.ts';

/** Can be repeated: a folder that needs no recovery is left as it is. */
export const execute: Execute<object> = async ({ args }) => {
  for (const given of args) {
    // With a trailing slash, the neighbouring folder would lie inside this one.
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
