import { existsSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { Settings } from '../../drive/configuration/configuration.ts';
import { UsageError } from '../../pipeline/setup/usage-error.ts';
import type { RecordOptions } from '../../proxy/record/record.ts';
import { diskWarning, quarantineWords } from '../../proxy/record/recorder-words.ts';
import type { AddCommand, Invocation } from '../options/command.ts';
import { addConfigFlag } from '../options/config-file.ts';
import { collectRepeated, keyFromVariable, parsePort, parseSeconds } from '../options/flag-values.ts';
import {
  addDisturbedFlag,
  addProxyCredentialFlags,
  addServiceFlags,
  type ProxyCredentialFlags,
  serviceUrl,
  settingsOf,
} from '../options/run-flags.ts';
import { noTrafficHint, serveUntilStopped } from '../serving/serving.ts';

interface Flags extends ProxyCredentialFlags {
  /** The old cassette stays until the new one is complete. */
  readonly cassette: string;
  readonly mode: 'record' | 'new' | 'auto';
  readonly port: number;
  readonly apiKeyEnv?: string;
  /** The default refuses requests: a gap would look like a client that did not call. */
  readonly onError: 'refuse' | 'pass';
  readonly timeout?: number;
  /** `env:NAME`; the other spelling of `apiKeyEnv`. */
  readonly auth?: string;
  readonly redact?: readonly string[];
  /** For tests whose data uses names such as `password` harmlessly. */
  readonly keepFields?: true;
  readonly rewriteUrls?: true;
  readonly disturbed?: true;
}

export const addCommand: AddCommand = (program, invocation) => {
  const command = program
    .command('record')
    .description(
      'Forwards requests to the service and records the exchanges, with secrets replaced. Prints its URL as the first ' +
        'line. Ends on Ctrl-C, or with the command given after --, and then finishes the cassette. Exits with the code of ' +
        'the command; if that is 0, with 1 when something was not recorded, or 2 when the service answered nothing, or the command sent nothing.',
    );
  const flagged = addDisturbedFlag(addStorageFlags(addProxyCredentialFlags(addConnectionFlags(command))));
  addConfigFlag(flagged, 'whole')
    .usage('--base-url <url> --cassette <dir> [options] [-- command]')
    .addHelpText(
      'after',
      '\nExample:\n  assay record --base-url http://127.0.0.1:8000/v1 --cassette cassettes/session -- npm test',
    )
    .action(async (given: Flags, self: Command) => {
      // Names of neighbouring folders are derived from it: a trailing slash would place them inside.
      const flags = { ...given, cassette: given.cassette.replace(/(?<=.)\/+$/, '') };
      await record(
        await recordOptions(flags, await settingsOf(self, { sendsKey: false })),
        flags,
        invocation,
      );
    });
};

function addConnectionFlags(command: Command): Command {
  return addServiceFlags(command)
    .requiredOption(
      '--cassette <dir>',
      'folder to record into; an existing cassette is replaced once this one is complete',
    )
    .addOption(
      new Option(
        '--mode <mode>',
        'record: record everything; new: replay known requests, add others; auto: replay an existing cassette, else record',
      )
        .choices(['record', 'new', 'auto'])
        .default('record'),
    )
    .option('--port <n>', 'port to listen on; 0 for any free port', parsePort, 0)
    .option('--api-key-env <name>', "environment variable whose key replaces the client's")
    .option('--auth <where>', 'the same, written as env:NAME');
}

function addStorageFlags(command: Command): Command {
  return command
    .option(
      '--redact <rule>',
      'also replace values at pointer:/a/b of bodies, or matches of pattern:REGEX; repeatable',
      collectRepeated,
    )
    .option(
      '--keep-fields',
      'store fields and URL parameters named as secrets, such as api_key or sig (default: masked)',
    )
    .option(
      '--rewrite-urls',
      "replace URLs in JSON responses by the proxy's, so that what they name is recorded, too",
    )
    .option(
      '--timeout <s>',
      'seconds of silence after which a request to the service fails (default: never)',
      parseSeconds,
    )
    .addOption(
      new Option('--on-error <action>', 'when the disk fails: refuse requests, or pass them unrecorded')
        .choices(['refuse', 'pass'])
        .default('refuse'),
    );
}

async function record(options: RecordOptions, flags: Flags, { command, finish }: Invocation): Promise<void> {
  const [{ startRecorder }, words, { unreachable }, { removeCassette }] = await Promise.all([
    import('../../proxy/record/record.ts'),
    import('../../pipeline/proxy-sessions/record-words.ts'),
    import('../../reports/words/gate-reason.ts'),
    import('../../exchange/cassette/folder.ts'),
  ]);
  const isNew = !existsSync(flags.cassette);
  const before = flags.mode === 'record' ? await words.exchangesBefore(flags.cassette) : null;
  const recorder = await startRecorder(options);
  const code = await serveUntilStopped(recorder, command).catch(async (error: unknown) => {
    const { exchanges } = await recorder.close();
    // A command that cannot start leaves no empty cassette behind.
    if (isNew && exchanges === 0) removeCassette(flags.cassette);
    throw error;
  });
  // After a failed command the recorder keeps the earlier cassette: half a session must not replace a whole
  // one.
  const report = await recorder.close({ failed: code !== 0 });
  const isUnused = command.length > 0 && !words.sawTraffic(report);
  if (isUnused && isNew) removeCassette(flags.cassette);
  // After closing, because secrets learned late change what was stored.
  const lines = [
    report.unreachable === null ? null : unreachable(options.baseUrl, report.unreachable),
    isUnused
      ? words.unusedSummary(flags.cassette, isNew ? 'removed' : 'kept')
      : words.recordSummary(report, flags.cassette),
    isUnused ? null : words.lossWords(report, before),
    report.quarantined === null ? null : quarantineWords(report.quarantined),
    isUnused ? noTrafficHint(code) : null,
    report.recorded > 0 ? words.secretWarning(report.aside ?? flags.cassette) : null,
    ...(report.recorded > 0 ? await words.recorderRemarks(report.aside ?? flags.cassette) : []),
    report.recorded > 0 ? await words.denialWarning(report.aside ?? flags.cassette) : null,
  ];
  for (const line of lines) if (line !== null) process.stderr.write(`${line}\n`);
  finish(code || (isUnused ? 2 : words.recordExitCode(report)));
}

/** Throws UsageError, ConfigurationError or an error on a redaction rule before a port is opened. */
async function recordOptions(flags: Flags, settings: Settings): Promise<RecordOptions> {
  const { parseRedactionRule } = await import('../../exchange/redaction/rules.ts');
  return {
    cassette: flags.cassette,
    mode: flags.mode,
    port: flags.port,
    key: keyOf(flags),
    headers: settings.headers,
    allowHosts: flags.allowHost ?? [],
    allowOrigins: flags.allowOrigin ?? [],
    redaction: {
      rules: (flags.redact ?? []).map(parseRedactionRule),
      ...(flags.keepFields === true && { keepFields: true }),
    },
    rewriteUrls: flags.rewriteUrls ?? false,
    ...(flags.disturbed === true && { header: { disturbed: true as const } }),
    onError: flags.onError,
    onFailure: ({ message }) => process.stderr.write(`${diskWarning(message, flags.onError)}\n`),
    ...(flags.timeout === undefined ? {} : { timeout: flags.timeout }),
    baseUrl: await serviceUrl(settings),
  };
}

/** Throws UsageError if `--auth` or the variable is wrong. */
function keyOf({ apiKeyEnv, auth }: Flags): string | null {
  if (auth === undefined) return apiKeyEnv === undefined ? null : keyFromVariable(apiKeyEnv);
  const [, name] = /^env:(.+)$/.exec(auth) ?? [];
  if (name !== undefined) return keyFromVariable(name, '--auth');
  throw new UsageError(`--auth ${auth}: it takes env:NAME, the variable that holds the key.`);
}
