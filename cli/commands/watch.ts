import { type Command, Option } from 'commander';
import type { AddCommand } from '../options/command.ts';
import { parseAddress } from '../options/flag-values.ts';
import {
  addDisturbedFlag,
  addJudgingFlags,
  addServiceFlags,
  addSideFlag,
  serviceUrl,
  settingsOf,
  VERDICT_EXIT_CODES,
} from '../options/run-flags.ts';
import { addTrafficFlags, judgeTraffic, type TrafficFlags } from '../serving/judging-proxy.ts';

/** Not the folder of a run, whose report stays. */
const WATCH_FOLDER = 'assay-watch';

export const addCommand: AddCommand = (program, invocation) => {
  const command = program
    .command('watch')
    .description(
      'Forwards requests to the service, records the exchanges in the report directory, with secrets replaced, and judges ' +
        'them as they pass: each violation is printed once. Prints its URL as the first line. Ends on Ctrl-C, or with the ' +
        'command given after --, and then writes the report. Exits with the code of the command; if that is 0, with ' +
        `${VERDICT_EXIT_CODES} or nothing passed.`,
    );
  addServiceFlags(command).option('--beta-header <name>', 'name of the beta header (default: Vendor-Beta)');
  command
    .option(
      '--metrics <address>',
      'HOST:PORT, or a port of 127.0.0.1, for metrics of Prometheus, /healthz and /readyz; needs prom-client',
      parseAddress,
    )
    .addOption(
      new Option('--log <format>', 'form of the output: text for people, or a JSON object per line')
        .choices(['text', 'json'])
        .default('text'),
    );
  addJudgingFlags(addDisturbedFlag(addSideFlag(addTrafficFlags(command))), WATCH_FOLDER)
    .usage('--base-url <url> [options] [-- command]')
    .addHelpText('after', '\nExample:\n  assay watch --base-url http://127.0.0.1:8000/v1 -- npm test')
    .action(async (flags: TrafficFlags, self: Command) => {
      const settings = await settingsOf(self, { reportDir: WATCH_FOLDER, sendsKey: false });
      const traffic = { ...flags, baseUrl: await serviceUrl(settings) };
      invocation.finish(await judgeTraffic(settings, traffic, invocation.command));
    });
};
