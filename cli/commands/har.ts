import { statSync } from 'node:fs';
import { cassetteFolderOf } from '../../pipeline/traffic/traffic-part.ts';
import { quarantineWords } from '../../proxy/record/recorder-words.ts';
import { plural } from '../../reports/report.ts';
import type { AddCommand } from '../options/command.ts';

interface Flags {
  readonly out: string;
  readonly baseUrl?: string;
}

/**
 * A folder is converted to HAR, a file to a cassette. An imported cassette has no claims or scenarios, so a
 * check judges the families that are called.
 */
export const addCommand: AddCommand = (program, { finish }) => {
  program
    .command('har')
    .description(
      'Converts a cassette to a HAR file, which converts back byte for byte; or a HAR file of a browser or another proxy, ' +
        'or a file of VCR, nock or mitmproxy, to a cassette of its exchanges with one service, with secrets replaced.',
    )
    .argument('<cassette or har>', 'cassette folder, HAR file, or file of VCR, nock or mitmproxy')
    .requiredOption('--out <path>', 'file (HAR) or folder (cassette) to write')
    .option(
      '--base-url <url>',
      'with a HAR file: service whose exchanges are imported (default: the most frequent one)',
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
        header: (baseUrl) => recordingHeader(baseUrl),
        redaction: { environment: process.env },
        ...(flags.baseUrl === undefined ? {} : { baseUrl: flags.baseUrl }),
      });
      process.stderr.write(`${plural(exchanges, 'exchange')} written to ${flags.out}, ${skipped} left out\n`);
      if (quarantined === null) return;
      process.stderr.write(`${quarantineWords(quarantined)}\n`);
      finish(1);
    });
};
