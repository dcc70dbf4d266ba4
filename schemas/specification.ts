// The specification in effect: the files in this folder and the extensions. Values derived from it are computed once per
// specification, so that a process can judge with an extension and then without.

import type { JsonSchema, Operation } from './contract.ts';
import { getOrMake } from './grouping.ts';

export interface SchemaFile {
  /** The file name without `.json`: `file`. */
  readonly name: string;
  /** `objects/file.json`, relative to `openapi.json`; the folder of an extension bears the name of the extension. */
  readonly path: string;
  /** The parsed content, as stored. */
  readonly schema: JsonSchema;
}

/** The additions of an extension to the specification. All names in it begin with the name of the extension. */
export interface SpecificationExtension {
  /** Name of the extension, which is also the family of its operations. */
  readonly name: string;
  /** The extension file as the user named it. */
  readonly file: string;
  /** Paths of its suites. */
  readonly suites: readonly string[];
  /** Digest of its files, which is stored with recorded traffic. */
  readonly digest: string;
  /** The operations of its OpenAPI document; empty without one. */
  readonly operations: readonly Operation[];
  /** The schemas of its OpenAPI document; empty without one. */
  readonly schemas: readonly SchemaFile[];
  /** The regular expressions of its schemas, with matchers that run in linear time. */
  readonly patterns: ReadonlyMap<string, (text: string) => boolean>;
  /** Default model ids by role. */
  readonly models: Readonly<Record<string, string>>;
  /** Messages to the user about assumptions that were made because the files leave something open. */
  readonly notices: readonly string[];
  /** All exports of its suites: requirements, choices, scenarios, equivalent mutants. */
  readonly exports: readonly unknown[];
}

interface Specification {
  readonly extensions: readonly SpecificationExtension[];
}

const BUILT_IN: Specification = { extensions: [] };
let inEffect = BUILT_IN;

export function extensions(): readonly SpecificationExtension[] {
  return inEffect.extensions;
}

/** Activates exactly these extensions for this thread. Reuses values that were computed earlier for the same list. */
export function useExtensions(wanted: readonly SpecificationExtension[]): void {
  if (
    wanted.length === inEffect.extensions.length &&
    wanted.every((one, i) => one === inEffect.extensions[i])
  )
    return;
  inEffect = wanted.length === 0 ? BUILT_IN : { extensions: wanted };
}

/** Memoizes a function of the specification in effect. */
export function perSpecification<T>(make: () => T): () => T {
  const results = new WeakMap<Specification, { readonly value: T }>();
  let last: { readonly specification: Specification; readonly value: T } | undefined;
  return () => {
    const specification = inEffect;
    if (last?.specification === specification) return last.value;
    const { value } = getOrMake(results, specification, () => ({ value: make() }));
    last = { specification, value };
    return value;
  };
}
