import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectory } from '../../exchange/directory.ts';
import type { Remainder } from '../../exchange/note.ts';
import { ConfigurationError } from '../configuration/configuration.ts';

/** The run a ledger belongs to: enough to reach the target again, without its key. */
export interface LedgerHeader {
  readonly ledger: 1;
  readonly baseUrl: string;
  readonly betaHeader: string;
  /** In every name, file name and metadata that the run gave. */
  readonly tag: string;
}

/** Something that a call made, or may have made, on the target. */
export interface LedgerEntry {
  /** From 1, in the order of creation. */
  readonly n: number;
  readonly scenario: string;
  /** The operation that creates it. */
  readonly operation: string;
  /** In its name, so that it can be found when its id never came back. */
  readonly tag: string;
  /** `intended` until the answer came; `made` with its id; then one of the ends. `left` may still be removed, what `stays` not. */
  readonly state: 'intended' | 'made' | 'nothing' | 'gone' | 'left' | 'stays';
  readonly id: string | null;
  /** How it ended: `deleted`, `cancelled`, or why it remains; a text in ledgers of version 0.1 or earlier. */
  readonly how: string | Remainder | null;
}

type Line =
  | { readonly intent: number; readonly scenario: string; readonly operation: string; readonly tag: string }
  | { readonly made: number; readonly id: string }
  | { readonly nothing: number }
  | { readonly gone: number; readonly how: string }
  | { readonly left: number; readonly how: string | Remainder }
  | { readonly stays: number; readonly how: string | Remainder };

/**
 * What a run makes on the target, on disk before it is made: a line per step, appended,
 * so that a crash at any moment leaves a list to clean up by.
 */
export class ResourceLedger {
  readonly file: string;
  readonly #descriptor: number;
  readonly #entries: Map<number, LedgerEntry>;

  private constructor(file: string, descriptor: number, entries: Map<number, LedgerEntry>) {
    this.file = file;
    this.#descriptor = descriptor;
    this.#entries = entries;
  }

  static create(file: string, header: LedgerHeader): ResourceLedger {
    makeDirectory(dirname(file));
    const descriptor = openSync(file, 'w');
    writeSync(descriptor, `${JSON.stringify(header)}\n`);
    return new ResourceLedger(file, descriptor, new Map());
  }

  /** Goes on with the ledger of an earlier run. Throws ConfigurationError when the file is none. */
  static reopen(file: string): { readonly ledger: ResourceLedger; readonly header: LedgerHeader } {
    const { header, entries } = readLedger(file);
    // A torn last line gets its line end, so that what we append stands alone.
    const descriptor = openSync(file, 'a');
    writeSync(descriptor, '\n');
    return {
      ledger: new ResourceLedger(file, descriptor, new Map(entries.map((entry) => [entry.n, entry]))),
      header,
    };
  }

  /** Before a call that may create; gives the number by which the rest is told. */
  intent(scenario: string, operation: string, tag: string): number {
    const n = Math.max(0, ...this.#entries.keys()) + 1;
    this.#write({ intent: n, scenario, operation, tag });
    return n;
  }

  made(n: number, id: string): void {
    this.#write({ made: n, id });
  }

  /** The answer came, and nothing was made. */
  nothing(n: number): void {
    this.#write({ nothing: n });
  }

  gone(n: number, how: string): void {
    this.#write({ gone: n, how });
  }

  left(n: number, how: Remainder): void {
    this.#write({ left: n, how });
  }

  /** It is still there, and nothing that we know of removes it. */
  stays(n: number, how: Remainder): void {
    this.#write({ stays: n, how });
  }

  /** What may still be on the target, newest first; of one scenario if named. */
  open(scenario?: string): readonly LedgerEntry[] {
    return this.entries()
      .filter((entry) => needsCleanup(entry) && (scenario === undefined || entry.scenario === scenario))
      .toReversed();
  }

  entries(): readonly LedgerEntry[] {
    return [...this.#entries.values()];
  }

  /** The entry that holds an id, if one does. */
  holds(id: string): LedgerEntry | undefined {
    return this.entries().findLast((entry) => entry.id === id && needsCleanup(entry));
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #write(line: Line): void {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#descriptor, bytes, done);
    apply(this.#entries, line);
  }
}

/** Whether it may still be on the target, and something may remove it. */
export function needsCleanup(entry: LedgerEntry): boolean {
  return entry.state === 'intended' || entry.state === 'made' || entry.state === 'left';
}

/** Reads a ledger; a torn last line is left out. Throws ConfigurationError when the file is none. */
export function readLedger(file: string): {
  readonly header: LedgerHeader;
  readonly entries: readonly LedgerEntry[];
} {
  const [first, ...rest] = lines(file);
  const header = first === undefined ? undefined : parse(first);
  if (!isHeader(header)) {
    throw new ConfigurationError(
      `${file} is no ledger of a run; it lies as ledger.jsonl in the report directory.`,
    );
  }
  const entries = new Map<number, LedgerEntry>();
  for (const text of rest) {
    const line = parse(text);
    if (isLine(line)) apply(entries, line);
  }
  return { header, entries: [...entries.values()] };
}

function lines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    const plain = code === 'EISDIR' ? 'it is a directory' : error instanceof Error ? error.message : error;
    const why = code === 'ENOENT' ? 'there is no such file' : plain;
    throw new ConfigurationError(
      `Cannot read the ledger ${file}: ${why}. It lies as ledger.jsonl in the report directory of a run.`,
    );
  }
}

function apply(entries: Map<number, LedgerEntry>, line: Line): void {
  if ('intent' in line) {
    const { intent: n, scenario, operation, tag } = line;
    entries.set(n, { n, scenario, operation, tag, state: 'intended', id: null, how: null });
    return;
  }
  const [n, change] = changeOf(line);
  const entry = entries.get(n);
  if (entry !== undefined) entries.set(n, { ...entry, ...change });
}

function changeOf(line: Exclude<Line, { intent: number }>): [number, Partial<LedgerEntry>] {
  if ('made' in line) return [line.made, { state: 'made', id: line.id }];
  if ('nothing' in line) return [line.nothing, { state: 'nothing' }];
  if ('gone' in line) return [line.gone, { state: 'gone', how: line.how }];
  if ('left' in line) return [line.left, { state: 'left', how: line.how }];
  return [line.stays, { state: 'stays', how: line.how }];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isHeader(value: unknown): value is LedgerHeader {
  return (
    typeof value === 'object' &&
    value !== null &&
    'ledger' in value &&
    value.ledger === 1 &&
    ['baseUrl', 'betaHeader', 'tag'].every((name) => typeof Reflect.get(value, name) === 'string')
  );
}

/** What each kind of line says beside its number. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  intent: ['scenario', 'operation', 'tag'],
  made: ['id'],
  nothing: [],
  gone: ['how'],
  left: [],
  stays: [],
};

/** Why it remains: facts, or a text in ledgers of version 0.1 or earlier. */
function isReason(how: unknown): boolean {
  return typeof how === 'string' || (typeof how === 'object' && how !== null && 'why' in how);
}

function isLine(value: unknown): value is Line {
  if (typeof value !== 'object' || value === null) return false;
  const texts = Object.entries(FIELDS).find(([key]) => Number.isSafeInteger(Reflect.get(value, key)))?.[1];
  const remains = 'left' in value || 'stays' in value;
  if (remains && !isReason(Reflect.get(value, 'how'))) return false;
  return texts?.every((name) => typeof Reflect.get(value, name) === 'string') === true;
}
