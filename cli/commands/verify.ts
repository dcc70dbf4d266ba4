import type { Command } from 'commander';
import type { AddCommand, Invocation } from '../options/command.ts';
import { addConfigFlag, configUse } from '../options/config-file.ts';
import { collectPointers, collectRepeated, parseSeconds } from '../options/flag-values.ts';
import { addExtensionFlag, headersIn, keyToSend, useNamedExtensions } from '../options/run-flags.ts';

interface Flags {
  /** It receives recorded requests, some of which create and delete objects. */
  readonly baseUrl: string;
  readonly apiKeyEnv?: string;
  readonly header?: readonly string[];
  /** JSON pointers into responses; `*` stands for any member. */
  readonly ignore?: readonly string[];
  /** Live values must be replaced by the same rules before they are compared. */
  readonly redact?: readonly string[];
  readonly config?: boolean;
  readonly extension?: readonly string[];
  readonly timeout?: number;
}

export const addCommand: AddCommand = (program, invocation) => {
  const command = program
    .command('verify')
    .description(
      'Sends the requests of a cassette one after the other, with the identifiers that the service assigns now, and compares ' +
        'status, schema, stream order and values. Exits with 1 after any drift, with 2 when nothing could be sent or nothing answers.',
    )
    .argument('<cassette>', 'cassette folder')
    .requiredOption('--base-url <url>', 'URL of the service, with or without /v1');
  addConfigFlag(addExtensionFlag(addSendingFlags(command)), 'whole')
    .addHelpText('after', '\nExample:\n  assay verify cassettes/session --base-url http://127.0.0.1:8000/v1')
    .action((cassette: string, flags: Flags) => verify(cassette, flags, invocation));
};

function addSendingFlags(command: Command): Command {
  return command
    .option(
      '--api-key-env <name>',
      'environment variable with the key, sent where the recorded request had one (default: apiKeyEnv of assay.config, else ASSAY_API_KEY, then OPENAI_API_KEY)',
    )
    .option(
      '--header <line>',
      'header field sent with every request, "Name: value"; repeatable',
      collectRepeated,
    )
    .option(
      '--ignore <pointer>',
      'place in responses that may differ, such as /data/*/id; repeatable',
      collectPointers,
    )
    .option(
      '--redact <rule>',
      'rule used when recording: pattern:REGEX, or pointer:/a/b (read from the cassette); repeatable',
      collectRepeated,
    )
    .option('--timeout <s>', 'seconds of silence after which a request fails (default: 60)', parseSeconds);
}

async function verify(cassette: string, flags: Flags, { finish }: Invocation): Promise<void> {
  const [{ verifyCassette }, words, { parseBaseUrl }, { parseRedactionRule }, { refuseMissingExtensions }] =
    await Promise.all([
      import('../../proxy/verify/verify.ts'),
      import('../../pipeline/proxy-sessions/verify-words.ts'),
      import('../../drive/configuration/base-url.ts'),
      import('../../exchange/redaction/rules.ts'),
      import('../../pipeline/setup/extensions-in-effect.ts'),
    ]);
  const baseUrl = parseBaseUrl(flags.baseUrl).href;
  await useNamedExtensions(flags.extension, configUse(flags.config, 'whole'));
  // Holds lines back until the first response: if the service is not running, the summary says so once.
  const printer = new words.DriftPrinter((line) => void process.stdout.write(`${line}\n`));
  const report = await verifyCassette({
    cassette,
    baseUrl,
    key: await keyToSend(flags.apiKeyEnv, configUse(flags.config, 'whole')),
    headers: await headersIn(flags.header),
    ignore: flags.ignore ?? [],
    redaction: { rules: (flags.redact ?? []).map(parseRedactionRule) },
    onHeader: refuseMissingExtensions,
    onExchange: (verified) => printer.add(verified),
    ...(flags.timeout === undefined ? {} : { timeout: flags.timeout }),
  });
  if (report.unreachable === null) printer.release();
  const { statuses } = printer;
  const { exitCode, lines } = words.concludeVerification(report, { cassette, baseUrl, statuses });
  process.stderr.write(lines.map((line) => `${line}\n`).join(''));
  finish(exitCode);
}
