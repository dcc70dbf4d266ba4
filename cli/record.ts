import { Option } from 'commander';
import type { AddCommand } from './command.ts';
import { UsageError } from './failing.ts';
import { keepUp } from './serving.ts';
import { keyIn, port, seconds } from './values.ts';

interface Flags {
  readonly baseUrl: string;
  readonly cassette: string;
  readonly port: number;
  readonly apiKeyEnv?: string;
  readonly onError: 'refuse' | 'pass';
  readonly timeout?: number;
}

/** `assay record`: a proxy in front of a service that keeps what passes in a cassette. */
export const record: AddCommand = (program, { finish, command }) => {
  program
    .command('record')
    .summary('record what passes between a client and a service')
    .description(
      'Forwards everything to the service and records it, without secrets. Prints its own URL as the first line; ' +
        'ends on Ctrl-C, or with the command given after --, and then completes the cassette.',
    )
    .requiredOption('--base-url <url>', 'the service, with or without /v1')
    .requiredOption(
      '--cassette <dir>',
      'where to record; a cassette that is there is replaced when this one is complete',
    )
    .option('--port <n>', 'port to listen on', port, 0)
    .option('--api-key-env <name>', "send the key in this variable in place of the client's")
    .option(
      '--timeout <s>',
      'seconds of silence after which the service is given up (default: never)',
      seconds,
    )
    .addOption(
      new Option('--on-error <what>', 'when the disk fails: refuse the traffic, or let it pass unrecorded')
        .choices(['refuse', 'pass'])
        .default('refuse'),
    )
    .usage('--base-url <url> --cassette <dir> [options] [-- command]')
    .addHelpText(
      'after',
      '\nExample:\n  assay record --base-url http://127.0.0.1:8000/v1 --cassette cassettes/session -- npm test',
    )
    .action(async (flags: Flags) => {
      const [{ record: startRecorder }, { baseUrl }] = await Promise.all([
        import('../proxy/record.ts'),
        import('../drive/base-url.ts'),
      ]);
      const recorder = await startRecorder({
        baseUrl: baseUrl(flags.baseUrl).href,
        cassette: flags.cassette,
        port: flags.port,
        key: flags.apiKeyEnv === undefined ? null : keyIn(flags.apiKeyEnv),
        onError: flags.onError,
        ...(flags.timeout === undefined ? {} : { timeout: flags.timeout }),
      });
      let lost = 0;
      try {
        finish(await keepUp(recorder, command));
      } finally {
        const { exchanges, unrecorded } = await recorder.close();
        lost = unrecorded;
        process.stderr.write(`${exchanges} exchanges recorded in ${flags.cassette}\n`);
      }
      if (lost > 0)
        throw new UsageError(`${lost} exchanges passed unrecorded: the cassette could not be written.`);
    });
};
