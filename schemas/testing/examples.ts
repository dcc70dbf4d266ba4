import { readFileSync } from 'node:fs';
import { schemaFile, schemasFolder } from '../load.ts';
import { pointerTokens } from '../pointer.ts';

export interface SchemaExamples {
  /** Values that the schema permits. `why`: the point of the example. */
  readonly valid: readonly { readonly why: string; readonly value: unknown }[];
  /** Values with exactly one violation each. */
  readonly invalid: readonly InvalidSchemaExample[];
  /** For the file parts of a multipart request: files that fulfil the rules of `x-file`, and files that violate one. */
  readonly files: {
    readonly valid: readonly { readonly why: string; readonly parts: FileSketches }[];
    readonly invalid: readonly {
      readonly why: string;
      readonly breaks: string;
      readonly parts: FileSketches;
    }[];
  };
}

export type FileSketches = Readonly<Record<string, FileSketch>>;

export interface FileSketch {
  /** Its format, which is also its file name extension: `png`, `wav`. */
  readonly format: string;
  /** In pixels, for an image. */
  readonly width?: number;
  /** In pixels, for an image. */
  readonly height?: number;
  /** Whether a pixel of the image is transparent. Default: false. */
  readonly transparent?: boolean;
  /** Size of the file; absent if it does not matter. */
  readonly bytes?: number;
}

export interface InvalidSchemaExample {
  /** A clause that names the mistake: `bytes is below zero`. */
  readonly why: string;
  /** The violation, such as `required at /id`, or `type at /` for the whole value. */
  readonly breaks: string;
  /** The whole value, not the wrong part. */
  readonly value: unknown;
}

interface StoredExample {
  readonly why: string;
  readonly value: unknown;
  /** By pointer, how often a character or the first element is repeated: for values that are too long to store. */
  readonly grow?: Readonly<Record<string, number>>;
}

export function schemaExamples(name: string): SchemaExamples {
  const path = `${schemasFolder()}/examples/${schemaFile(name).name}.json`;
  // as: a test judges every example
  const { valid, invalid, files } = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly valid: readonly StoredExample[];
    readonly invalid: readonly (StoredExample & { readonly breaks: string })[];
    readonly files?: SchemaExamples['files'];
  };
  return {
    valid: valid.map(({ why, value, grow }) => ({ why, value: growValues(value, grow) })),
    invalid: invalid.map(({ why, breaks, value, grow }) => ({ why, breaks, value: growValues(value, grow) })),
    files: files ?? { valid: [], invalid: [] },
  };
}

function growValues(value: unknown, grow: StoredExample['grow'] = {}): unknown {
  let grown = value;
  for (const [pointer, length] of Object.entries(grow)) grown = growAt(grown, pointerTokens(pointer), length);
  return grown;
}

function growAt(value: unknown, path: readonly string[], length: number): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return repeatTo(value, length);
  if (Array.isArray(value))
    return value.map((element, index) => (String(index) === key ? growAt(element, rest, length) : element));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === key ? growAt(member, rest, length) : member,
    ]),
  );
}

function repeatTo(value: unknown, length: number): unknown {
  if (Array.isArray(value)) return Array.from({ length }, () => value[0]);
  return String(value).repeat(length);
}
