import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseJsonFile } from '../exchange/json-file.ts';
import { readRegularFile } from '../exchange/regular-file.ts';
import { replaceFile } from '../exchange/replace-file.ts';
import { shellQuote } from '../exchange/shell-quote.ts';
import {
  type Publication,
  type PublishedFolder,
  publicationIndex,
} from '../reports/formats/published-pages.ts';
import { messageOf } from '../schemas/error-message.ts';
import { isJsonObject, type JsonObject } from '../schemas/json.ts';
import { dayOf, PUBLICATION_FILE } from './publish.ts';
import { readReport } from './report/read-report.ts';
import { UsageError } from './setup/usage-error.ts';

export interface PublishedIndex {
  readonly folders: readonly string[];
  readonly problems: readonly string[];
}

export function publishIndex(site: string, now: number): PublishedIndex {
  const names = readdirSync(site, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(site, entry.name, PUBLICATION_FILE)))
    .map(({ name }) => name)
    .toSorted();
  if (names.length === 0)
    throw new UsageError(
      `${site} has no published folder. Create one with assay report publish ${shellQuote(join(site, 'NAME'))}.`,
    );
  const problems: string[] = [];
  const folders = names.flatMap((folder): readonly PublishedFolder[] => {
    const path = join(site, folder);
    try {
      return [
        { folder, report: readReport(path), publication: readPublication(join(path, PUBLICATION_FILE)) },
      ];
    } catch (error) {
      problems.push(`${path} is left out: ${messageOf(error)}`);
      return [];
    }
  });
  replaceFile(join(site, 'index.html'), publicationIndex(folders, dayOf(now)));
  return { folders: folders.map(({ folder }) => folder), problems };
}

function readPublication(file: string): Publication {
  const value = parseJsonFile(readRegularFile(file), file, UsageError);
  const { format, command, published, expires }: JsonObject = isJsonObject(value) ? value : {};
  const isComplete =
    typeof command === 'string' && typeof published === 'string' && typeof expires === 'string';
  if (format === 1 && isComplete) return { format: 1, command, published, expires };
  throw new UsageError(`${file} is not what assay report publish writes. Publish the folder again.`);
}
