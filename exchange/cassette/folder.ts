import { existsSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { shortList } from '../../schemas/message-text.ts';
import { isFile } from '../regular-file.ts';
import { CassetteError } from './cassette-error.ts';
import { entryKind, isFolder } from './entries.ts';

export function holdsRecording(dir: string): boolean {
  return containsFile(dir, 'cassette.jsonl') || containsFile(dir, 'journal.jsonl');
}

/** Whether there is an entry of this name, of any kind: opening it refuses whatever is not a regular file. */
export function containsFile(dir: string, name: string): boolean {
  return entryKind(join(dir, name)) !== null;
}

/** Removes trailing slashes; with them, `recordingDir` and the like would name folders inside the cassette. */
export function trimTrailingSlashes(dir: string): string {
  return dir.replace(/(?<=.)\/+$/, '');
}

export function recordingDir(dir: string): string {
  return `${dir}.recording`;
}

export function failedDir(dir: string): string {
  return `${dir}.failed`;
}

export function quarantineDir(dir: string): string {
  return `${dir}.quarantine`;
}

export function replacedDir(dir: string): string {
  return `${dir}.recording.old`;
}

export function interruptedDir(dir: string): string {
  for (let n = 1; ; n += 1) {
    const place = n === 1 ? `${dir}.interrupted` : `${dir}.interrupted-${n}`;
    if (entryKind(place) === null) return place;
  }
}

const FILE_NAME =
  /^(?:(?:cassette|timing|journal)\.jsonl(?:\.tmp)?|lock(?:\.taking)?|lock(?:\.taking)?\.\d+-\d+(?:-[0-9a-f]+)?(?:\.old)?)$/;
/** Files of other programs that are tolerated and never removed. */
const IGNORED = /^(?:\.DS_Store|\.gitkeep)$/;
const BLOB_FOLDER_NAME = /^[0-9a-f]{2}$/;
const TEMPORARY_NAME = /^\d+\.tmp$/;

export function isDigest(name: string): boolean {
  return /^[0-9a-f]{64}$/.test(name);
}

const EXPECTED_KINDS: Readonly<Record<string, (name: string) => 'file' | 'folder' | null>> = {
  '': (name) => (name === 'blobs' ? 'folder' : fileIf(FILE_NAME.test(name))),
  blobs: (name) => (name === 'sha256' ? 'folder' : fileIf(TEMPORARY_NAME.test(name))),
  'blobs/sha256': (name) => (BLOB_FOLDER_NAME.test(name) ? 'folder' : null),
};

/** The entries of a cassette folder, as paths relative to it. */
export class FolderContents {
  /** Files of the format, including blobs. */
  readonly files: string[] = [];
  /** Paths of the blobs by digest. */
  readonly blobs = new Map<string, string>();
  /** Folders of the format, inner ones first. */
  readonly folders: string[] = [];
  /** Entries with a name of the format, but of another kind, such as a link. */
  readonly disguised: string[] = [];
  /** Entries with other names. */
  readonly foreign: string[] = [];
  readonly ignored: string[] = [];
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
    this.#list('', '');
  }

  #list(folder: string, prefix: string): void {
    const kindFor = EXPECTED_KINDS[folder] ?? ((name) => fileIf(isDigest(name) && name.startsWith(prefix)));
    for (const name of readdirSync(join(this.#dir, folder)).toSorted()) {
      const path = folder === '' ? name : `${folder}/${name}`;
      const expected = kindFor(name);
      const kind = entryKind(join(this.#dir, path));
      if (expected === null) {
        if (IGNORED.test(path) && kind === 'file') this.ignored.push(path);
        else this.foreign.push(path);
      } else if (kind !== expected) this.disguised.push(path);
      else if (expected === 'folder') {
        this.#list(path, name);
        this.folders.push(path);
      } else {
        this.files.push(path);
        if (isDigest(name)) this.blobs.set(name, path);
      }
    }
  }
}

function fileIf(isExpected: boolean): 'file' | null {
  return isExpected ? 'file' : null;
}

export function refuseDisguised(dir: string): void {
  if (entryKind(dir) !== 'folder') return;
  const [first] = new FolderContents(dir).disguised;
  if (first === undefined) return;
  throw new CassetteError(
    'foreign',
    `${join(dir, first)} is not what a cassette has there: it is a link, a special file, or a file in place of a folder or the reverse. Remove it, or record into another folder.`,
  );
}

/**
 * Also removes the folder if nothing else is in it. Throws CassetteError, and removes nothing, if an entry with a name
 * of the format is a link or of another kind.
 */
export function removeCassette(dir: string): void {
  if (!isFolder(dir)) return;
  removeFiles(dir, () => true);
  removeIfEmpty(dir);
}

/** Like `removeCassette`, but keeps the folder and the lock, which its holder still needs. */
export function emptyCassette(dir: string): void {
  removeFiles(dir, (path) => !path.startsWith('lock'));
}

function removeFiles(dir: string, isRemoved: (path: string) => boolean): void {
  refuseDisguised(dir);
  const { files, folders } = new FolderContents(dir);
  for (const path of files.filter(isRemoved)) unlinkSync(join(dir, path));
  for (const path of folders) removeIfEmpty(join(dir, path));
}

export function removeIfEmpty(dir: string): void {
  if (readdirSync(dir).length === 0) rmdirSync(dir);
}

const MAX_LISTED = 3;

export function refuseForeignFiles(dir: string): void {
  if (entryKind(dir) === null) return;
  refuseNonFolder(dir);
  refuseDisguised(dir);
  const { foreign } = new FolderContents(dir);
  if (foreign.length === 0) return;
  throw new CassetteError(
    'not-empty',
    `${dir} holds entries that are not part of a cassette, and would be lost: ${shortList(foreign, MAX_LISTED)}. Record into an empty folder.`,
  );
}

export function refuseNonFolder(dir: string): void {
  const kind = entryKind(dir);
  if (kind === null || kind === 'folder') return;
  if (kind === 'file')
    throw new CassetteError(
      'not-empty',
      `${dir} is a file; a cassette is a folder. Record into another place.`,
    );
  throw new CassetteError(
    'foreign',
    `${dir} is a link or a special file; a recording writes only into a folder. Name the folder that it leads to, or another one.`,
  );
}

/** Empty if the folder cannot be listed, and without the folders in it that cannot be searched. */
function cassettesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir)
      .map((name) => join(dir, name))
      .filter((path) => existsSync(join(path, 'cassette.jsonl')) || existsSync(join(path, 'journal.jsonl')))
      .toSorted();
  } catch {
    return [];
  }
}

export function missingCassetteError(dir: string): CassetteError {
  if (!isFile(dir)) {
    const file = join(dir, 'cassette.jsonl');
    const cassettes = cassettesIn(dir);
    const advice =
      cassettes.length === 0
        ? 'Record one, or check the path'
        : `Its folders contain some: ${shortList(cassettes, MAX_LISTED)}`;
    return new CassetteError('missing', `${dir} does not contain a cassette: ${file} is missing. ${advice}.`);
  }
  const advice = FILE_NAME.test(basename(dir))
    ? `Name the folder that contains it: ${dirname(dir)}`
    : 'Name one; assay har converts a HAR file';
  return new CassetteError('missing', `${dir} is a file; a cassette is a folder. ${advice}.`);
}
