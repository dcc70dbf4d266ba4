import type { Json } from '../../exchange/http/body.ts';
import type { Drift } from '../../proxy/verify/drift.ts';
import type { VerifiedExchange, VerifyReport } from '../../proxy/verify/verify.ts';
import { plural } from '../../reports/report.ts';
import type { AddCommand } from '../command.ts';
import { headersIn, keyToSend } from '../credentials.ts';
import { collectPointers, collectRepeated, parseSeconds } from '../flag-values.ts';

interface Flags {
  readonly baseUrl: string;
  readonly apiKeyEnv?: string;
  readonly header?: readonly string[];
  readonly ignore?: readonly string[];
  readonly redact?: readonly string[];
  readonly timeout?: number;
}

/** `assay verify`: sends recorded requests to a live service, and says what drifted. */
export const verifyCommand: AddCommand = (program, { finish }) => {
  program
    .command('verify')
    .description(
      'Sends the requests of a cassette one after the other, with the identifiers that the service gives now, and compares ' +
        'status, schema, stream order and values. Exits with 1 when anything drifted, with 2 when nothing answers or could be sent.',
    )
    .argument('<cassette>', 'a folder that was recorded')
    .requiredOption('--base-url <url>', 'the service, with or without /v1')
    .option(
      '--api-key-env <name>',
      'variable that holds the key, sent where the recorded request had one (ASSAY_API_KEY, then OPENAI_API_KEY)',
    )
    .option('--header <line>', 'sent with every request: "Name: value"; may be repeated', collectRepeated)
    .option(
      '--ignore <pointer>',
      'place in answers that may differ, such as /data/*/id; may be repeated',
      collectPointers,
    )
    .option(
      '--redact <rule>',
      'as when recording: pattern:REGEX or pointer:/a/b (known from the cassette); may be repeated',
      collectRepeated,
    )
    .option(
      '--timeout <s>',
      'seconds of silence after which a request is given up (default: 60)',
      parseSeconds,
    )
    .addHelpText('after', '\nExample:\n  assay verify cassettes/session --base-url http://127.0.0.1:8000/v1')
    .action(async (cassette: string, flags: Flags) => {
      const [proxy, { parseBaseUrl: baseUrl }, { unreachable }, { parseRedactionRule: parseRule }] =
        await Promise.all([
          import('../../proxy/verify/verify.ts'),
          import('../../drive/target/base-url.ts'),
          import('../../reports/words/stop.ts'),
          import('../../exchange/redaction/rules.ts'),
        ]);
      const { href } = baseUrl(flags.baseUrl);
      const teller = new Teller();
      const report = await proxy.verifyCassette({
        cassette,
        baseUrl: href,
        key: await keyToSend(flags.apiKeyEnv),
        headers: await headersIn(flags.header),
        ignore: flags.ignore ?? [],
        redaction: { rules: (flags.redact ?? []).map(parseRule) },
        onExchange: (verified) => teller.add(verified),
        ...(flags.timeout === undefined ? {} : { timeout: flags.timeout }),
      });
      if (report.unreachable !== null) {
        process.stderr.write(`${unreachable(href, report.unreachable)}\n`);
        return finish(2);
      }
      teller.release();
      const { sent, skipped, drifted } = report;
      if (sent === 0) {
        const why = skipped === 0 ? 'it holds no exchange' : `all ${skipped} were passed over, as told above`;
        process.stderr.write(`Nothing of ${cassette} could be sent: ${why}. Record again.\n`);
        return finish(2);
      }
      process.stderr.write(
        `${plural(sent, 'request')} sent, ${skipped} passed over, ${drifted.length} drifted\n`,
      );
      if (drifted.length > 0 && report.missingRules !== null)
        process.stderr.write(`${cassette} was ${report.missingRules}\n`);
      if (isPathWrong(report, teller.statuses)) {
        process.stderr.write(`Every request is answered 404. Is the path of --base-url ${href} right?\n`);
      }
      finish(drifted.length > 0 ? 1 : 0);
    });
};

/** Tells what became of each exchange as it comes, from the first answer on: where none comes, one line says it all. */
class Teller {
  readonly statuses = new Set<number>();
  #held: VerifiedExchange[] | null = [];

  add(verified: VerifiedExchange): void {
    if (verified.status !== null) {
      this.statuses.add(verified.status);
      this.release();
    }
    if (this.#held === null) tell(verified);
    else this.#held.push(verified);
  }

  release(): void {
    for (const verified of this.#held ?? []) tell(verified);
    this.#held = null;
  }
}

/** One that is gone may have been deleted; all of them were not. */
function isPathWrong({ drifted }: VerifyReport, statuses: ReadonlySet<number>): boolean {
  return drifted.length > 1 && statuses.size === 1 && statuses.has(404) && drifted.every(isGone);
}

function isGone({ drifts }: VerifiedExchange): boolean {
  return drifts.every(({ kind, now }) => kind === 'status' && now === 404);
}

function tell({ exchange, method, target, skipped, drifts }: VerifiedExchange): void {
  if (skipped !== null) process.stdout.write(`skip   ${exchange}  ${method} ${target}: ${skipped}\n`);
  for (const drift of drifts) {
    const lines = [
      `drift  ${exchange}  ${method} ${target}`,
      `       ${place(drift)}`,
      `       recorded  ${show(drift, drift.recorded)}`,
      `       now       ${show(drift, drift.now)}`,
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
  }
}

/** What differs, and where, unless there is one place only where it can. */
function place({ kind, at }: Drift): string {
  if (kind === 'status' || kind === 'content-type') return kind;
  return `${kind} at ${at === '' ? 'the whole body' : at}`;
}

const LONGEST = 200;

/** A value as JSON; what is words of ours without quotes. */
function show({ kind, at }: Drift, value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  const json = JSON.stringify(value);
  const isWords = typeof value === 'string' && (kind === 'schema' || kind === 'status' || at === 'body');
  const text = isWords ? json.slice(1, -1) : json;
  const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  if (kind === 'length') return value === 1 ? '1 element' : `${shown} elements`;
  return shown;
}
