// Reads the examples of a schema: values that keep it, and values that break one thing each.
import { readFileSync } from 'node:fs';
import { schemaFile, schemasFolder } from './load.ts';
import { pointerTokens } from './pointer.ts';

/** Examples of one schema: values that it accepts, and values that it rejects. */
export interface SchemaExamples {
  readonly valid: readonly { readonly why: string; readonly value: unknown }[];
  readonly invalid: readonly InvalidExampleFile[];
  /** For the file parts of a multipart request: files that keep the rules of `x-file`, and files that break one. */
  readonly files: {
    readonly valid: readonly { readonly why: string; readonly parts: FileSketches }[];
    readonly invalid: readonly {
      readonly why: string;
      readonly breaks: string;
      readonly parts: FileSketches;
    }[];
  };
}

/** The files of a request by the name of their part. */
export type FileSketches = Readonly<Record<string, FileSketch>>;

/** Properties of a file, for code that makes one. */
export interface FileSketch {
  /** Its format, which is also the ending of its name: `png`, `wav`. */
  readonly format: string;
  /** Of an image, in pixels. */
  readonly width?: number;
  readonly height?: number;
  readonly transparent?: boolean;
  readonly bytes?: number;
}

/** A value that breaks one constraint, and the reason why it is invalid. */
export interface InvalidExampleFile {
  readonly why: string;
  /** The one violation: `required at /id`, `type at /` for the whole. */
  readonly breaks: string;
  readonly value: unknown;
}

/** An example as written. `grow` gives the length of what is too long to write out, by its pointer. */
interface Written extends InvalidExampleFile {
  readonly grow?: Readonly<Record<string, number>>;
}

/** The examples of a schema, written out in full. Throws UnknownSchema; a schema without examples is an error. */
export function schemaExamples(name: string): SchemaExamples {
  const path = `${schemasFolder()}/examples/${schemaFile(name).name}.json`;
  // as: our own data; a test judges every example
  const { valid, invalid, files } = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly valid: readonly Written[];
    readonly invalid: readonly Written[];
    readonly files?: SchemaExamples['files'];
  };
  return {
    valid: valid.map(({ why, value, grow }) => ({ why, value: grown(value, grow) })),
    invalid: invalid.map(({ why, breaks, value, grow }) => ({ why, breaks, value: grown(value, grow) })),
    files: files ?? { valid: [], invalid: [] },
  };
}

/** Repeats the character or the element of each named place until it is as long as said. */
function grown(value: unknown, grow: Written['grow'] = {}): unknown {
  return Object.entries(grow).reduce(
    (whole, [pointer, length]) => at(whole, pointerTokens(pointer), length),
    value,
  );
}

function at(value: unknown, path: readonly string[], length: number): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return repeated(value, length);
  if (Array.isArray(value))
    return value.map((each, index) => (String(index) === key ? at(each, rest, length) : each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) =>
      name === key ? [name, at(each, rest, length)] : [name, each],
    ),
  );
}

function repeated(value: unknown, length: number): unknown {
  if (Array.isArray(value)) return Array.from({ length }, () => value[0]);
  return String(value).repeat(length);
}
