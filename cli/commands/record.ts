import { existsSync } from 'node:fs';
import { Option } from 'commander';
import { UsageError } from '../../pipeline/usage-error.ts';
import type { RecordReport } from '../../proxy/record/record.ts';
import { diskWarning, quarantineWords } from '../../proxy/record/recorder-words.ts';
import { shellQuote } from '../../reports/failure/curl-command.ts';
import { plural } from '../../reports/report.ts';
import type { AddCommand } from '../command.ts';
import { addProxyCredentialFlags, type ProxyCredentialFlags, proxyCredentials } from '../credentials.ts';
import { collectRepeated, keyFromVariable, parsePort, parseSeconds } from '../flag-values.ts';
import { NO_TRAFFIC_HINT, serveUntilStopped } from '../serving.ts';

interface Flags extends ProxyCredentialFlags {
  readonly baseUrl: string;
  readonly cassette: string;
  readonly mode: 'record' | 'new' | 'auto';
  readonly port: number;
  readonly apiKeyEnv?: string;
  readonly onError: 'refuse' | 'pass';
  readonly timeout?: number;
  readonly auth?: string;
  readonly redact?: readonly string[];
  readonly keepFields?: true;
  readonly rewriteUrls?: true;
}

/** `assay record`: a proxy in front of a service that keeps what passes in a cassette. */
export const recordCommand: AddCommand = (program, { finish, command }) => {
  const own = program
    .command('record')
    .description(
      'Forwards everything to the service and records it, without secrets. Prints its own URL as the first line; ' +
        'ends on Ctrl-C, or with the command given after --, and then completes the cassette. Ends with what the command ' +
        'ended with; where that is 0, with 1 when something was not recorded, with 2 when the service answered nothing.',
    )
    .requiredOption('--base-url <url>', 'the service, with or without /v1')
    .requiredOption(
      '--cassette <dir>',
      'where to record; a cassette that is there is replaced when this one is complete',
    )
    .addOption(
      new Option(
        '--mode <how>',
        'record afresh; only what is new and answered; or auto: replay where there is a cassette, else record',
      )
        .choices(['record', 'new', 'auto'])
        .default('record'),
    )
    .option('--port <n>', 'port to listen on', parsePort, 0)
    .option('--api-key-env <name>', "send the key in this variable in place of the client's")
    .option('--auth <where>', 'the same, written as env:NAME');
  addProxyCredentialFlags(own)
    .option(
      '--redact <rule>',
      'keep out what is at pointer:/a/b of bodies, or what pattern:REGEX matches; may be repeated',
      collectRepeated,
    )
    .option(
      '--keep-fields',
      'keep the values of fields named as secrets, as password or api_key (default: masked)',
    )
    .option(
      '--rewrite-urls',
      'turn URLs in JSON answers into our own, so that what they name is recorded, too',
    )
    .option(
      '--timeout <s>',
      'seconds of silence after which the service is given up (default: never)',
      parseSeconds,
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
    .action(async (given: Flags) => {
      // Folders beside it are named after it: a slash at the end, as shells complete it, would put them into it.
      const flags = { ...given, cassette: given.cassette.replace(/(?<=.)\/+$/, '') };
      const [
        { startRecorder },
        { parseBaseUrl: baseUrl },
        { unreachable },
        { parseRedactionRule: parseRule },
        { removeCassette },
      ] = await Promise.all([
        import('../../proxy/record/record.ts'),
        import('../../drive/target/base-url.ts'),
        import('../../reports/words/stop.ts'),
        import('../../exchange/redaction/rules.ts'),
        import('../../exchange/cassette/read/contents.ts'),
      ]);
      const isNew = !existsSync(flags.cassette);
      const recorder = await startRecorder({
        baseUrl: baseUrl(flags.baseUrl).href,
        cassette: flags.cassette,
        mode: flags.mode,
        port: flags.port,
        key: keyOf(flags),
        ...(await proxyCredentials(flags)),
        redaction: {
          rules: (flags.redact ?? []).map(parseRule),
          ...(flags.keepFields === true && { keepFields: true }),
        },
        rewriteUrls: flags.rewriteUrls ?? false,
        onError: flags.onError,
        onFailure: ({ message }) => process.stderr.write(`${diskWarning(message, flags.onError)}\n`),
        ...(flags.timeout === undefined ? {} : { timeout: flags.timeout }),
      });
      const code = await serveUntilStopped(recorder, command).catch(async (error: unknown) => {
        const { exchanges } = await recorder.close();
        // A command that cannot be started leaves nothing behind.
        if (isNew && exchanges === 0) removeCassette(flags.cassette);
        throw error;
      });
      const report = await recorder.close({ failed: code !== 0 });
      if (report.unreachable !== null) {
        process.stderr.write(`${unreachable(baseUrl(flags.baseUrl).href, report.unreachable)}\n`);
      }
      process.stderr.write(`${told(report, flags.cassette)}\n`);
      if (report.quarantined !== null) process.stderr.write(`${quarantineWords(report.quarantined)}\n`);
      const { recorded, replayed, missed, unrecorded, unanswered } = report;
      if (recorded + replayed + missed + unrecorded + unanswered === 0 && command.length > 0)
        process.stderr.write(`${NO_TRAFFIC_HINT}\n`);
      if (recorded > 0) process.stderr.write(await suspected(report.aside ?? flags.cassette));
      finish(code === 0 ? exitOf(report) : code);
    });
};

/** A larger cassette is not searched unasked. Bytes. */
const SEARCHED = 64 * 1024 * 1024;

/** Where what nobody knew as a secret looks like one: prompts hold what people paste. */
async function suspected(cassette: string): Promise<string> {
  const { scanQuickly: glance } = await import('../../exchange/cassette/secret-scan.ts');
  const secrets = glance(cassette, SEARCHED);
  if (secrets === null || secrets.length === 0) return '';
  const what = [...new Set(secrets.map((secret) => secret.what))].join(', ');
  return `It may hold a secret (${what}). See where with: npx assay scan ${shellQuote(cassette)}; keep it out with --redact\n`;
}

function keyOf({ apiKeyEnv, auth }: Flags): string | null {
  if (auth === undefined) return apiKeyEnv === undefined ? null : keyFromVariable(apiKeyEnv);
  const [, name] = /^env:(.+)$/.exec(auth) ?? [];
  if (name !== undefined) return keyFromVariable(name, '--auth');
  throw new UsageError(`--auth ${auth}: it takes env:NAME, the variable that holds the key.`);
}

function exitOf({ unreachable, unrecorded, unanswered, missed, quarantined }: RecordReport): number {
  if (unreachable !== null) return 2;
  return unrecorded + unanswered + missed > 0 || quarantined !== null ? 1 : 0;
}

function told(
  { recorded, replayed, missed, unrecorded, upgraded, unanswered, unreachable, aside }: RecordReport,
  cassette: string,
): string {
  const parts = [
    `${plural(recorded, 'exchange')} recorded in ${aside ?? cassette}`,
    ...(replayed > 0 ? [`${replayed} answered from it`] : []),
    ...(missed > 0 ? [`${missed} without a recording`] : []),
    ...(unanswered > 0 ? [`${unanswered} left out, as the service did not answer`] : []),
    ...(unrecorded > upgraded
      ? [`${unrecorded - upgraded} passed unrecorded: the cassette could not be written`]
      : []),
    ...(upgraded > 0
      ? [
          `${plural(upgraded, 'connection')} (upgraded, or asked for by CONNECT) unrecorded: a cassette holds exchanges only`,
        ]
      : []),
  ];
  if (aside === null) return parts.join(', ');
  const why = unreachable === null ? 'the command failed' : 'the service answered nothing';
  return (
    `${parts.join(', ')}. As ${why}, the cassette in ${cassette} stays as it was. Record again; or, to take the new one ` +
    `all the same, delete ${cassette} and rename ${aside} to it.`
  );
}
