import { parseBaseUrl } from '../../drive/configuration/base-url.ts';
import { printable } from '../../exchange/printable.ts';
import { parseRedactionRule } from '../../exchange/redaction/rules.ts';
import { concludeVerification, DriftPrinter } from '../../pipeline/proxy-sessions/verify-words.ts';
import { refuseMissingExtensions } from '../../pipeline/setup/extensions-in-effect.ts';
import { verifyCassette } from '../../proxy/verify/verify.ts';
import type { Execute } from '../options/command.ts';
import { readCredentials } from '../options/credentials.ts';
import { refuseEnvironmentProxy } from '../options/service-url.ts';
import { useNamedExtensions } from '../options/settings.ts';

interface Flags {
  readonly baseUrl: string;
  readonly ignore?: readonly string[];
  /** Redaction rules of the recording, which are also applied to live values before the comparison. */
  readonly redact?: readonly string[];
  readonly timeout?: number;
}

export const execute: Execute<Flags> = async ({ args: [cassette = ''], flags, self }) => {
  const baseUrl = parseBaseUrl(flags.baseUrl).href;
  refuseEnvironmentProxy(baseUrl);
  await useNamedExtensions(self);
  // Lines are held back until the first response, so that only the summary reports a service that is not running.
  const printer = new DriftPrinter((line) => void process.stdout.write(`${printable(line)}\n`));
  const report = await verifyCassette({
    cassette,
    baseUrl,
    ...(await readCredentials(self)),
    ignore: flags.ignore ?? [],
    redaction: { rules: (flags.redact ?? []).map(parseRedactionRule) },
    onHeader: refuseMissingExtensions,
    onExchange: (verified) => printer.add(verified),
    ...(flags.timeout === undefined ? {} : { timeout: flags.timeout }),
  });
  if (report.unreachable === null) printer.release();
  const { exitCode, lines } = concludeVerification(report, { cassette, baseUrl, statuses: printer.statuses });
  process.stderr.write(lines.map((line) => `${printable(line)}\n`).join(''));
  return exitCode;
};
