import { closeSync, constants, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { entryKind } from '../../exchange/cassette/entries.ts';
import { makeDirectory } from '../../exchange/directory.ts';
import type { Remainder } from '../../exchange/note.ts';
import { errorCode, messageOf } from '../../schemas/error-message.ts';
import { isObject, tryParseJson } from '../../schemas/json.ts';
import { ConfigurationError } from '../configuration/configuration.ts';

export interface LedgerHeader {
  /** Version of the format. */
  readonly ledger: 1;
  /** Base URL of the target, with `/v1`. */
  readonly baseUrl: string;
  readonly betaHeader: string;
  /** Tag of the run; the tag of each scenario begins with it. */
  readonly tag: string;
  /** Paths of a dialect on the target, by path of the specification. */
  readonly paths?: Readonly<Record<string, string>>;
}

export interface LedgerEntry {
  /** From 1, in the order of creation. */
  readonly n: number;
  /** The scenario that sent the call. */
  readonly scenario: string;
  readonly operation: string;
  /** Tag of the scenario, by which cleanup finds the resource if its creation returned no id. */
  readonly tag: string;
  /**
   * `intended`: may exist; `made`: exists; `nothing`: was not created; `gone`: no longer exists; `left`: not removed
   * yet; `stays`: nothing can remove it.
   */
  readonly state: 'intended' | 'made' | 'nothing' | 'gone' | 'left' | 'stays';
  /** Id on the target; null if the response to the call did not show it. */
  readonly id: string | null;
  /** `deleted` if it is gone, or why the resource is `left` or `stays`; null in the other states. */
  readonly how: string | Remainder | null;
}

type Step = Exclude<LedgerEntry['state'], 'intended'>;
type StepDetails = Partial<Pick<LedgerEntry, 'id' | 'how'>>;

/** The file that lists what a run creates. Each line is written immediately, so that it survives a crash of the run. */
export class ResourceLedger {
  readonly #descriptor: number;
  readonly #entries: Map<number, LedgerEntry>;

  private constructor(descriptor: number, entries: Map<number, LedgerEntry>) {
    this.#descriptor = descriptor;
    this.#entries = entries;
  }

  /** Replaces an earlier file. */
  static create(file: string, header: LedgerHeader): ResourceLedger {
    makeDirectory(dirname(file));
    // Removed first, because a link may lead outside the report folder.
    rmSync(file, { force: true });
    const descriptor = openSync(file, 'wx');
    appendLine(descriptor, header);
    return new ResourceLedger(descriptor, new Map());
  }

  /** Throws ConfigurationError if the file cannot be read or is not a ledger. */
  static reopen(file: string): ResourceLedger {
    const { entries } = readLedger(file);
    const descriptor = openSync(file, constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0));
    // Ends a torn last line, so that the next step begins a new one.
    writeSync(descriptor, '\n');
    return new ResourceLedger(descriptor, new Map(entries.map((entry) => [entry.n, entry])));
  }

  /** Call before a request that may create a resource. Returns the number of the new entry. */
  recordIntent(scenario: string, operation: string, tag: string): number {
    const n = Math.max(0, ...this.#entries.keys()) + 1;
    this.#write({ intent: n, scenario, operation, tag });
    return n;
  }

  /** `made` needs the id; `gone`, `left` and `stays` need `how`. */
  record(n: number, step: Step, details: StepDetails = {}): void {
    this.#write({ [step]: n, ...details });
  }

  /** Newest first. */
  entriesToClean(scenario?: string): readonly LedgerEntry[] {
    return this.entries()
      .filter((entry) => needsCleanup(entry) && (scenario === undefined || entry.scenario === scenario))
      .toReversed();
  }

  entries(): readonly LedgerEntry[] {
    return [...this.#entries.values()];
  }

  entryOf(id: string): LedgerEntry | undefined {
    return this.entries().findLast((entry) => entry.id === id && needsCleanup(entry));
  }

  /** Entries can still be read afterwards. */
  close(): void {
    closeSync(this.#descriptor);
  }

  #write(line: object): void {
    appendLine(this.#descriptor, line);
    applyLine(this.#entries, line);
  }
}

/** Continues after a short write, which a nearly full disk causes. */
function appendLine(descriptor: number, line: object): void {
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
}

export function needsCleanup(entry: LedgerEntry): boolean {
  return entry.state === 'intended' || entry.state === 'made' || entry.state === 'left';
}

export function readLedger(file: string): {
  readonly header: LedgerHeader;
  readonly entries: readonly LedgerEntry[];
} {
  const [first, ...steps] = readLines(file);
  const header = first === undefined ? undefined : tryParseJson(first);
  if (!isLedgerHeader(header)) {
    throw new ConfigurationError(
      `${file} is not the ledger of a run. Name the file ledger.jsonl in its report directory.`,
    );
  }
  const entries = new Map<number, LedgerEntry>();
  for (const text of steps) applyLine(entries, tryParseJson(text));
  return { header, entries: [...entries.values()] };
}

function readLines(file: string): readonly string[] {
  try {
    // Appending could follow a link, and reading a pipe would block.
    if (entryKind(file) === 'other') throw new Error('it is a link or a special file');
    return readFileSync(file, 'utf8').split('\n');
  } catch (error) {
    const code = errorCode(error);
    const detail = code === 'EISDIR' ? 'it is a directory' : messageOf(error);
    const reason = code === 'ENOENT' ? 'the file does not exist' : detail;
    throw new ConfigurationError(
      `Cannot read the ledger ${file}: ${reason}. Name the file ledger.jsonl in the report directory of a run.`,
    );
  }
}

const isEntryNumber = (value: unknown): value is number => Number.isSafeInteger(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isRemainder = (value: unknown): value is Remainder => isObject(value) && 'why' in value;

/** Applies a line: one key names the step and has the number of the entry. Ignores invalid and unknown lines. */
function applyLine(entries: Map<number, LedgerEntry>, line: unknown): void {
  if (!isObject(line)) return;
  const { intent, scenario, operation, tag, id, how } = line;
  const { made, nothing, gone, left, stays } = line;
  const update = (n: number, changes: Partial<LedgerEntry>): void => {
    const entry = entries.get(n);
    if (entry !== undefined) entries.set(n, { ...entry, ...changes });
  };
  if (isEntryNumber(intent)) {
    if (isText(scenario) && isText(operation) && isText(tag))
      entries.set(intent, { n: intent, scenario, operation, tag, state: 'intended', id: null, how: null });
  } else if (isEntryNumber(made)) {
    if (isText(id)) update(made, { state: 'made', id });
  } else if (isEntryNumber(nothing)) update(nothing, { state: 'nothing', how: null });
  else if (isEntryNumber(gone)) {
    if (isText(how)) update(gone, { state: 'gone', how });
  } else if (isRemainder(how)) {
    if (isEntryNumber(left)) update(left, { state: 'left', how });
    else if (isEntryNumber(stays)) update(stays, { state: 'stays', how });
  }
}

function isLedgerHeader(value: unknown): value is LedgerHeader {
  return (
    isObject(value) &&
    value['ledger'] === 1 &&
    ['baseUrl', 'betaHeader', 'tag'].every((name) => isText(value[name])) &&
    (value['paths'] === undefined ||
      (isObject(value['paths']) && Object.values(value['paths']).every(isText)))
  );
}
