import { existsSync, statSync } from 'node:fs';
import { importHar } from '../../exchange/har/read.ts';
import { exportHar } from '../../exchange/har/write.ts';
import { UsageError } from '../../pipeline/setup/usage-error.ts';
import { cassetteFolderOf } from '../../pipeline/traffic/traffic-part.ts';
import { quarantineWords } from '../../proxy/record/recorder-words.ts';
import { recordingHeader } from '../../proxy/record/recording-header.ts';
import { plural } from '../../schemas/message-text.ts';
import type { Execute } from '../options/command.ts';

interface Flags {
  readonly out: string;
  readonly baseUrl?: string;
  readonly apiRoot?: string;
}

export const execute: Execute<Flags> = async ({ args: [from = ''], flags }) => {
  if (flags.apiRoot !== undefined && flags.baseUrl !== undefined)
    throw new UsageError(
      '--api-root and --base-url both name the service in the file: give --api-root if its paths lack /v1, else --base-url.',
    );
  const folder = cassetteFolderOf(from);
  if (folder === null && !existsSync(from))
    throw new UsageError(`${from} does not exist. Name a cassette folder, or a file of another recorder.`);
  if (folder !== null || statSync(from).isDirectory()) {
    if (folder !== null && (flags.apiRoot !== undefined || flags.baseUrl !== undefined))
      throw new UsageError(
        `${from} is a cassette: --api-root and --base-url only apply to files of other recorders. Leave them out.`,
      );
    const { exchanges } = await exportHar(folder ?? from, flags.out);
    process.stderr.write(`${plural(exchanges, 'exchange')} written to ${flags.out}\n`);
    return 0;
  }
  const { exchanges, skipped, quarantined } = await importHar(from, flags.out, {
    header: recordingHeader,
    redaction: { environment: process.env },
    ...(flags.baseUrl === undefined ? {} : { baseUrl: flags.baseUrl }),
    apiRoot: flags.apiRoot,
  });
  process.stderr.write(`${plural(exchanges, 'exchange')} written to ${flags.out}, ${skipped} left out\n`);
  if (quarantined === null) return 0;
  process.stderr.write(`${quarantineWords(quarantined)}\n`);
  return 1;
};
