import type { Json } from '../exchange/body.ts';
import type { Verified } from '../proxy/verify.ts';
import { plural } from '../reports/report.ts';
import type { AddCommand } from './command.ts';
import { keyIn, repeated, seconds } from './values.ts';

interface Flags {
  readonly baseUrl: string;
  readonly apiKeyEnv?: string;
  readonly ignore?: readonly string[];
  readonly redact?: readonly string[];
  readonly timeout?: number;
}

/** `assay verify`: sends recorded requests to a live service, and says what drifted. */
export const verify: AddCommand = (program, { finish }) => {
  program
    .command('verify')
    .summary('send recorded requests to a live service and say what drifted')
    .description(
      'Sends the requests of a cassette one after the other, with the identifiers that the service gives now, and compares ' +
        'status, schema, stream order and values. Exits with 1 when anything drifted.',
    )
    .argument('<cassette>', 'a folder that was recorded')
    .requiredOption('--base-url <url>', 'the service, with or without /v1')
    .option('--api-key-env <name>', 'send the key in this variable where the recorded request had one')
    .option(
      '--ignore <pointer>',
      'place in answers that may differ, * for any member; may be repeated',
      repeated,
    )
    .option('--redact <rule>', 'as when recording: pointer:/a/b or pattern:REGEX; may be repeated', repeated)
    .option('--timeout <s>', 'seconds of silence after which a request is given up (default: 60)', seconds)
    .addHelpText('after', '\nExample:\n  assay verify cassettes/session --base-url http://127.0.0.1:8000/v1')
    .action(async (cassette: string, flags: Flags) => {
      const [proxy, { baseUrl }, { parseRule }] = await Promise.all([
        import('../proxy/verify.ts'),
        import('../drive/base-url.ts'),
        import('../exchange/redaction/rules.ts'),
      ]);
      const report = await proxy.verify({
        cassette,
        baseUrl: baseUrl(flags.baseUrl).href,
        key: flags.apiKeyEnv === undefined ? null : keyIn(flags.apiKeyEnv),
        ignore: flags.ignore ?? [],
        redaction: { rules: (flags.redact ?? []).map(parseRule) },
        onExchange: tell,
        ...(flags.timeout === undefined ? {} : { timeout: flags.timeout }),
      });
      const { sent, skipped, drifted } = report;
      process.stderr.write(
        `${plural(sent, 'request')} sent, ${skipped} passed over, ${drifted.length} drifted\n`,
      );
      finish(drifted.length > 0 ? 1 : 0);
    });
};

function tell({ exchange, method, target, skipped, drifts }: Verified): void {
  if (skipped !== null) process.stdout.write(`skip   ${exchange}  ${method} ${target}: ${skipped}\n`);
  for (const { kind, at, recorded, now } of drifts) {
    const lines = [
      `drift  ${exchange}  ${method} ${target}`,
      `       ${kind} at ${at === '' ? 'the whole body' : at}`,
      `       recorded  ${show(recorded)}`,
      `       now       ${show(now)}`,
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
  }
}

const LONGEST = 200;

function show(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
