import type { Command } from 'commander';
import { diskWarning } from '../../proxy/record/recorder-words.ts';
import type { AddCommand } from '../command.ts';
import { addProxyCredentialFlags, type ProxyCredentialFlags } from '../credentials.ts';
import { keyFromVariable, parsePort, parseSeconds, parseWholeNumber } from '../flag-values.ts';
import { addJudgingFlags, settingsOf, VERDICT_EXIT_CODES } from '../run-flags.ts';
import { serveUntilStopped } from '../serving.ts';

const MIB = 1024 * 1024;

interface Flags extends ProxyCredentialFlags {
  readonly baseUrl: string;
  readonly port: number;
  readonly apiKeyEnv?: string;
  readonly timeout?: number;
  readonly keepFields?: true;
  readonly maxDisk: number;
  readonly maxMemory: number;
  readonly baselineWrite?: string;
}

/** `assay watch`: a proxy that judges what passes, while it passes. */
export const watchCommand: AddCommand = (program, { finish, command }) => {
  const own = program
    .command('watch')
    .description(
      'Forwards everything to the service, records it in the report directory, without secrets, and judges it as it ' +
        'passes: each violation is printed once, when it is first met. Prints its own URL as the first line; on Ctrl-C, or ' +
        'with the end of the command given after --, it writes the report. ' +
        `Ends with ${VERDICT_EXIT_CODES}, as where nothing passed; what the command ended with comes first, unless it is 0.`,
    )
    .requiredOption('--base-url <url>', 'the service, with or without /v1')
    .option('--port <n>', 'port to listen on', parsePort, 0)
    .option('--api-key-env <name>', "send the key in this variable in place of the client's")
    .option('--claim <families>', 'judge these families (those that are called)')
    .option(
      '--timeout <s>',
      'seconds of silence after which the service is given up (default: never)',
      parseSeconds,
    )
    .option(
      '--keep-fields',
      'keep the values of fields named as secrets, as password or api_key (default: masked)',
    )
    .option(
      '--max-disk <mib>',
      'traffic to keep on the disk; what comes after is judged, but not kept',
      parseWholeNumber,
      1024,
    )
    .option(
      '--max-memory <mib>',
      'what the judge may hold; beyond it, it forgets what was not used for longest',
      parseWholeNumber,
      512,
    );
  addJudgingFlags(addProxyCredentialFlags(own))
    .usage('--base-url <url> [options] [-- command]')
    .addHelpText('after', '\nExample:\n  assay watch --base-url http://127.0.0.1:8000/v1 -- npm test')
    .action(async (flags: Flags, self: Command) => {
      const settings = await settingsOf(self);
      const [{ openWatch }, { StandingDisplay }, { printReport }, { watchNotices }] = await Promise.all([
        import('../../pipeline/watch.ts'),
        import('../standing-display.ts'),
        import('../print-report.ts'),
        import('../notices/watch-notices.ts'),
      ]);
      // The output of a command is its own.
      const stream = command.length === 0 ? process.stdout : process.stderr;
      const display = new StandingDisplay(stream);
      const { apiKeyEnv } = flags;
      const watching = await openWatch(settings, {
        baseUrl: flags.baseUrl,
        port: flags.port,
        timeout: flags.timeout ?? 0,
        redaction: flags.keepFields === true ? { keepFields: true } : {},
        key: apiKeyEnv === undefined ? null : keyFromVariable(apiKeyEnv),
        baselineWrite: flags.baselineWrite,
        allowHosts: flags.allowHost ?? [],
        allowOrigins: flags.allowOrigin ?? [],
        most: { disk: flags.maxDisk * MIB, memory: flags.maxMemory * MIB },
        page: {
          width: stream.columns,
          colours: settings.color && stream.isTTY === true ? 'on' : 'off',
        },
        onViolation: (text) => display.above(text),
        onStanding: (progress) => display.show(progress),
        onDiskFailure: ({ message }) => display.warn(diskWarning(message, 'refuse')),
      });
      const code = await serveUntilStopped(watching, command).catch(async (error: unknown) => {
        await watching.abandon();
        display.clear();
        throw error;
      });
      let isWhole = true;
      const report = await watching.close((watched) => {
        display.clear();
        isWhole = watched.quarantined === null;
        process.stderr.write(watchNotices(watched));
      }, printReport);
      finish(code || report.summary.exitCode || (isWhole ? 0 : 1));
    });
};
