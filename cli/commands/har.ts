import { statSync } from 'node:fs';
import { cassetteFolderOf } from '../../pipeline/cassette-folder.ts';
import { quarantineWords } from '../../proxy/record/recorder-words.ts';
import { plural } from '../../reports/report.ts';
import type { AddCommand } from '../command.ts';

interface Flags {
  readonly out: string;
  readonly baseUrl?: string;
}

/** `assay har`: makes HAR of a cassette, or a cassette of HAR. */
export const harCommand: AddCommand = (program, { finish }) => {
  program
    .command('har')
    .description(
      'A cassette becomes a HAR file that others read, and comes back from it byte for byte. A HAR file of a browser or ' +
        'another proxy becomes a cassette of its exchanges with one service, without secrets.',
    )
    .argument('<cassette or har>', 'the folder of a cassette, or a HAR file')
    .requiredOption('--out <path>', 'the file, or the folder, to write')
    .option(
      '--base-url <url>',
      'of a HAR file: the service whose exchanges are taken (default: the one most asked)',
    )
    .addHelpText(
      'after',
      '\nExample:\n  assay har cassettes/session --out session.har\n  assay har session.har --out cassettes/session',
    )
    .action(async (from: string, flags: Flags) => {
      const [{ exportHar }, { importHar }, { recordingHeader }] = await Promise.all([
        import('../../exchange/har/write.ts'),
        import('../../exchange/har/read.ts'),
        import('../../proxy/record/recording-header.ts'),
      ]);
      const folder = cassetteFolderOf(from);
      if (folder !== null || statSync(from).isDirectory()) {
        const { exchanges } = await exportHar(folder ?? from, flags.out);
        process.stderr.write(`${plural(exchanges, 'exchange')} written to ${flags.out}\n`);
        return;
      }
      const { exchanges, skipped, quarantined } = await importHar(from, flags.out, {
        header: (baseUrl) => recordingHeader(baseUrl, false),
        redaction: { environment: process.env },
        ...(flags.baseUrl === undefined ? {} : { baseUrl: flags.baseUrl }),
      });
      process.stderr.write(`${plural(exchanges, 'exchange')} written to ${flags.out}, ${skipped} left out\n`);
      if (quarantined === null) return;
      process.stderr.write(`${quarantineWords(quarantined)}\n`);
      finish(1);
    });
};
