import { cpSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { readExtensionFiles, readSettings } from '../drive/configuration/settings.ts';
import { openCassette } from '../exchange/cassette/cassette.ts';
import { regularFilesIn } from '../exchange/cassette/entries.ts';
import { type DetectedSecret, scanFileForSecrets, scanForSecrets } from '../exchange/cassette/secret-scan.ts';
import { makeDirectory } from '../exchange/directory.ts';
import { Redactor } from '../exchange/redaction/redactor.ts';
import { isFile, readRegularFile } from '../exchange/regular-file.ts';
import { replaceFile } from '../exchange/replace-file.ts';
import { shellQuote } from '../exchange/shell-quote.ts';
import { TOOL } from '../exchange/tool.ts';
import { type Publication, publicationPage } from '../reports/formats/published-pages.ts';
import type { Report } from '../reports/report.ts';
import { plural } from '../schemas/message-text.ts';
import { judgeRecordings } from './check.ts';
import { namesFile } from './setup/dialects.ts';
import { activateExtensions } from './setup/extensions-in-effect.ts';
import { UsageError } from './setup/usage-error.ts';
import { cassetteFolderOf } from './traffic/traffic-part.ts';

export interface PublishOptions {
  /** Folder to create; an earlier publication in it is replaced. */
  readonly dir: string;
  /** Cassette, or folder of a report. */
  readonly cassette: string;
  /** Name of a dialect, or its file, which is published too. */
  readonly dialect: string | null;
  /** Built-in extensions only, such as `assay:embeddings`. */
  readonly extensions: readonly string[];
  /** Days until the publication expires, from the recording, or from `now` if the time of the recording is unknown. */
  readonly days: number;
  /** The current time, as Unix time in milliseconds. */
  readonly now: number;
}

export interface PublishedReport extends Publication {
  readonly report: Report;
}

const REPORT_FORMATS = ['json', 'html', 'support'];
export const PUBLICATION_FILE = 'published.json';
const DAY_MS = 86_400_000;

/**
 * Creates a folder that anybody can host: a page, the reports, the cassette, and the command that judges it again. Only
 * the cassette is judged, without baseline and configuration, so that the command reproduces the verdict. Rejects with
 * CassetteError or DialectError, and with UsageError if nothing can be published, for example because of a secret.
 */
export async function publish(options: PublishOptions): Promise<PublishedReport> {
  // `resolve` drops a trailing slash, so the draft is created next to the folder.
  const dir = resolve(options.dir);
  refuseOwnExtensions(options.extensions);
  const source = cassetteFolderOf(options.cassette);
  if (source === null)
    throw new UsageError(
      `${options.cassette} contains no cassette, which others need to judge again. Name one with --cassette.`,
    );
  refuseForeignFolder(dir);
  // The reports need no search: a secret in them could only come from the cassette or the dialect, which are searched.
  const secrets = scanForSecrets(source, makeRedactor(), 'known-and-shapes');
  refuseSecrets(secrets, source, 'Record again with --redact.');
  makeDirectory(dirname(dir));
  const draft = mkdtempSync(`${dir}.publishing-`);
  // Unlike the draft, which is private, the site gets the default permissions of a folder.
  const site = join(draft, 'site');
  makeDirectory(site);
  try {
    const began = await copyCassette(source, join(site, 'cassette'));
    const { flags, words, printedDialect } = prepareJudgingOptions(options, site);
    const sources = {
      flags: { ...flags, report: REPORT_FORMATS.join(','), reportDir: site },
      env: {},
      file: null,
      readText: (path: string) => readRegularFile(path),
      sendsKey: false,
    };
    await activateExtensions(readExtensionFiles(sources));
    const report = await judgeRecordings([join(site, 'cassette')], readSettings(sources), {
      words: 'cassette',
      printedDialect,
    });
    const publication: Publication = {
      format: 1,
      command: `npx assay@${TOOL.version} check cassette${words}`,
      published: dayOf(options.now),
      expires: dayOf((began || options.now) + options.days * DAY_MS),
    };
    replaceFile(join(site, 'index.html'), publicationPage(report, publication));
    replaceFile(join(site, PUBLICATION_FILE), `${JSON.stringify(publication, null, 1)}\n`);
    replaceFolder(dir, site);
    return { ...publication, report };
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Moves `site` to `dir`; a folder that is already there is deleted only after the move succeeded. */
function replaceFolder(dir: string, site: string): void {
  if (!existsSync(dir)) {
    renameSync(site, dir);
    return;
  }
  const old = `${site}.old`;
  renameSync(dir, old);
  try {
    renameSync(site, dir);
  } catch (error) {
    renameSync(old, dir);
    throw error;
  }
  rmSync(old, { recursive: true, force: true });
}

/** Copies the files of a finished recording. Returns its beginning as Unix time in milliseconds; 0 if unknown. */
async function copyCassette(from: string, to: string): Promise<number> {
  const cassette = await openCassette(from, { isInterruptionExpected: true });
  const began = cassette.size === 0 ? 0 : cassette.began(0);
  cassette.close();
  if (!existsSync(join(from, 'cassette.jsonl')))
    throw new UsageError(
      `${from} is an unfinished recording. Finish it: npx assay recover ${shellQuote(from)}`,
    );
  makeDirectory(to);
  const names = ['cassette.jsonl', 'timing.jsonl'].filter((name) => existsSync(join(from, name)));
  for (const name of names) cpSync(join(from, name), join(to, name));
  // A cassette refers to its blobs by relative paths, which therefore stay.
  for (const file of regularFilesIn(join(from, 'blobs'))) {
    const copy = join(to, relative(from, file));
    makeDirectory(dirname(copy));
    cpSync(file, copy);
  }
  return began;
}

function prepareJudgingOptions({ dialect, extensions }: PublishOptions, site: string) {
  const flags = {
    ...(dialect !== null && { dialect }),
    ...(extensions.length > 0 && { extension: extensions }),
  };
  const printedDialect = dialect === null ? null : publishDialect(dialect, site);
  const dialectWords = printedDialect === null ? [] : ['--dialect', printedDialect];
  const words = [...dialectWords, ...extensions.flatMap((name) => ['--extension', name])];
  return { flags, printedDialect, words: words.map((word) => ` ${shellQuote(word)}`).join('') };
}

/** Returns the dialect as the command names it. A file is copied into its own folder, where it replaces no report. */
function publishDialect(nameOrFile: string, site: string): string {
  if (!namesFile(nameOrFile) || !isFile(nameOrFile)) return nameOrFile;
  refuseSecrets(scanFileForSecrets(nameOrFile, makeRedactor()) ?? [], nameOrFile, 'Remove it.');
  const copy = join('dialect', basename(nameOrFile));
  makeDirectory(join(site, 'dialect'));
  cpSync(nameOrFile, join(site, copy));
  return copy;
}

/** Throws UsageError unless all are built in: a copy of another extension may lack files that its modules read. */
function refuseOwnExtensions(extensions: readonly string[]): void {
  const own = extensions.find((name) => !name.startsWith('assay:'));
  if (own !== undefined)
    throw new UsageError(
      `--extension ${shellQuote(own)}: assay report publish cannot copy the files of an extension of your own. Publish without it, or host a folder with its files, the cassette, and the command assay check CASSETTE --extension FILE.`,
    );
}

function refuseForeignFolder(dir: string): void {
  const stats = statSync(dir, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isDirectory()) throw new UsageError(`${dir} is a file. Name a folder that does not exist yet.`);
  if (readdirSync(dir).length > 0 && !existsSync(join(dir, PUBLICATION_FILE)))
    throw new UsageError(`${dir} holds files that assay report publish did not write. Name another folder.`);
}

function makeRedactor(): Redactor {
  return new Redactor({ environment: process.env });
}

/** Throws UsageError with the place of the first secret, if there is one, never its value. */
function refuseSecrets(secrets: readonly DetectedSecret[], place: string, advice: string): void {
  const [first] = secrets;
  if (first === undefined) return;
  const more = secrets.length === 1 ? '' : ` and ${plural(secrets.length - 1, 'more place')}`;
  const at = `${first.file}${first.line === null ? '' : `:${first.line}`}`;
  throw new UsageError(
    `Nothing was published: ${at}${more} may hold a secret (${first.what}). npx assay scan ${shellQuote(place)} lists them all. ${advice}`,
  );
}

export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
