import { openCassette } from '../../exchange/cassette/cassette.ts';
import { recoverCassette } from '../../exchange/cassette/finish.ts';
import { holdsRecording, recordingDir, trimTrailingSlashes } from '../../exchange/cassette/folder.ts';
import { lockHolder } from '../../exchange/cassette/lock.ts';
import { shellQuote } from '../../exchange/shell-quote.ts';
import { cassetteFolderOf } from '../../pipeline/traffic/traffic-part.ts';
import { plural } from '../../schemas/message-text.ts';
import type { Execute } from '../options/command.ts';

export const execute: Execute<object> = async ({ args }) => {
  for (const path of args) {
    const dir = cassetteFolderOf(path) ?? trimTrailingSlashes(path);
    const isRecovered = recoverCassette(dir);
    const cassette = await openCassette(dir);
    const outcome = isRecovered ? 'recovered' : 'nothing to recover';
    process.stdout.write(`${dir}: ${outcome}, ${plural(cassette.size, 'exchange')}\n`);
    cassette.close();
    // A recording that is to replace a cassette is made in a neighbouring folder, where a killed recorder leaves it.
    const replacementDir = recordingDir(dir);
    if (holdsRecording(replacementDir) && lockHolder(replacementDir) === null)
      process.stdout.write(
        `${replacementDir}: an interrupted recording that was to replace ${dir}. Recover it with: npx assay recover ${shellQuote(replacementDir)}\n`,
      );
  }
  return 0;
};
