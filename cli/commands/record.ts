import { existsSync } from 'node:fs';
import type { Settings } from '../../drive/configuration/configuration.ts';
import { removeCassette, trimTrailingSlashes } from '../../exchange/cassette/folder.ts';
import { printableLines } from '../../exchange/printable.ts';
import { parseRedactionRule } from '../../exchange/redaction/rules.ts';
import * as words from '../../pipeline/proxy-sessions/record-words.ts';
import { UsageError } from '../../pipeline/setup/usage-error.ts';
import { type RecordOptions, startRecorder } from '../../proxy/record/record.ts';
import { diskWarning, quarantineWords } from '../../proxy/record/recorder-words.ts';
import { unreachableWords } from '../../reports/words/stop.ts';
import type { Execute } from '../options/command.ts';
import { readKey } from '../options/credentials.ts';
import { resolveDirectServiceUrl } from '../options/service-url.ts';
import { readCommandSettings } from '../options/settings.ts';
import { noTrafficHint, serveUntilStopped } from '../serving/serving.ts';

interface Flags {
  /** Folder of the cassette. `--mode record` replaces an existing one only when the new one is complete. */
  readonly cassette: string;
  readonly mode: 'record' | 'new' | 'auto';
  readonly port: number;
  readonly apiKeyEnv?: string;
  readonly allowHost?: readonly string[];
  readonly allowOrigin?: readonly string[];
  /** Reaction to a failed recording. `refuse` by default: a gap would look like a client that did not call. */
  readonly onError: 'refuse' | 'pass';
  readonly timeout?: number;
  readonly auth?: string;
  readonly redact?: readonly string[];
  readonly volatile?: readonly string[];
  readonly normalise?: readonly string[];
  /** Keeps fields with secret names, for tests whose data uses names such as `password` harmlessly. */
  readonly keepFields?: true;
  readonly rewriteUrls?: true;
  readonly disturbed?: true;
}

export const execute: Execute<Flags> = async ({ flags: rawFlags, self, command }) => {
  const flags = { ...rawFlags, cassette: trimTrailingSlashes(rawFlags.cassette) };
  const options = await readRecordOptions(flags, await readCommandSettings(self, { sendsKey: false }));
  const isNew = !existsSync(flags.cassette);
  const replacedCount = flags.mode === 'record' ? await words.countReplacedExchanges(flags.cassette) : null;
  const recorder = await startRecorder(options);
  const code = await serveUntilStopped(recorder, command).catch(async (error: unknown) => {
    const { exchanges } = await recorder.close();
    if (isNew && exchanges === 0) removeCassette(flags.cassette);
    throw error;
  });
  // After a failed command the recorder keeps the earlier cassette: half a session must not replace a whole one.
  const report = await recorder.close({ failed: code !== 0 });
  const isUnused = command.length > 0 && !words.sawTraffic(report);
  if (isUnused && isNew) removeCassette(flags.cassette);
  // The cassette is searched after closing, because secrets learned late change what was stored.
  const path = report.recorded > 0 ? (report.aside ?? flags.cassette) : null;
  const lines = [
    report.unreachable === null ? null : unreachableWords(options.baseUrl, report.unreachable),
    isUnused
      ? words.unusedSummary(flags.cassette, isNew ? 'removed' : 'kept')
      : words.recordSummary(report, flags.cassette),
    isUnused ? null : words.lossWords(report, replacedCount),
    report.quarantined === null ? null : quarantineWords(report.quarantined),
    isUnused ? noTrafficHint(code) : null,
    ...(path === null
      ? []
      : [words.secretWarning(path), ...(await words.recorderRemarks(path)), await words.denialWarning(path)]),
  ];
  for (const line of lines) if (line !== null) process.stderr.write(`${printableLines(line)}\n`);
  return code || (isUnused ? 2 : words.recordExitCode(report));
};

async function readRecordOptions(flags: Flags, settings: Settings): Promise<RecordOptions> {
  return {
    cassette: flags.cassette,
    mode: flags.mode,
    port: flags.port,
    key: readSentKey(flags),
    headers: settings.headers,
    allowHosts: flags.allowHost ?? [],
    allowOrigins: flags.allowOrigin ?? [],
    redaction: { rules: (flags.redact ?? []).map(parseRedactionRule), keepFields: flags.keepFields === true },
    rewriteUrls: flags.rewriteUrls ?? false,
    matching: { volatile: flags.volatile ?? [], normalise: flags.normalise ?? [] },
    ...(flags.disturbed === true && { header: { disturbed: true as const } }),
    onError: flags.onError,
    onFailure: ({ message }) => process.stderr.write(`${diskWarning(message, flags.onError)}\n`),
    ...(flags.timeout === undefined ? {} : { timeout: flags.timeout }),
    baseUrl: await resolveDirectServiceUrl(settings),
  };
}

function readSentKey({ apiKeyEnv, auth }: Flags): string | null {
  if (auth === undefined) return apiKeyEnv === undefined ? null : readKey(apiKeyEnv);
  const [, name] = /^env:(.+)$/.exec(auth) ?? [];
  if (name !== undefined) return readKey(name, '--auth');
  throw new UsageError('--auth takes env:NAME, the variable that holds the key. The value is not shown.');
}
