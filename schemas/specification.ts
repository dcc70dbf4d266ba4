// The specification in effect: the files in this folder and the active extensions. Values derived from it are cached
// for each activation, so that a process can judge first with an extension and then without.
import type { JsonSchema, Operation } from './contract.ts';
import { getOrMake } from './maps.ts';

export interface SchemaFile {
  /** The file name without `.json`: `file`. */
  readonly name: string;
  /** `objects/file.json`, relative to `openapi.json`; a schema of an extension is in `extensions/NAME/`. */
  readonly path: string;
  readonly schema: JsonSchema;
}

/** The additions of an extension to the specification. All their names begin with the name of the extension. */
export interface SpecificationExtension {
  /** Name of the extension, which is also the family of its operations. */
  readonly name: string;
  /** The extension file as the user named it. */
  readonly file: string;
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
  /** Messages to the user about what is assumed where the files leave something open. */
  readonly notices: readonly string[];
  /** The exports of its suites, such as requirements; then generated probe scenarios and exclusions. */
  readonly exports: readonly unknown[];
}

const NO_EXTENSIONS: readonly SpecificationExtension[] = [];
let activeExtensions = NO_EXTENSIONS;

export function extensions(): readonly SpecificationExtension[] {
  return activeExtensions;
}

/** Activates exactly these extensions for this thread; an unchanged list keeps the values computed for it. */
export function useExtensions(extensions: readonly SpecificationExtension[]): void {
  if (
    extensions.length === activeExtensions.length &&
    extensions.every((extension, i) => extension === activeExtensions[i])
  )
    return;
  activeExtensions = extensions.length === 0 ? NO_EXTENSIONS : [...extensions];
}

/** Memoizes a function of the specification in effect until other extensions are activated; without any, for good. */
export function perSpecification<T>(make: () => T): () => T {
  const results = new WeakMap<readonly SpecificationExtension[], { readonly value: T }>();
  let last: { readonly list: readonly SpecificationExtension[]; readonly value: T } | undefined;
  return () => {
    const list = activeExtensions;
    if (last?.list === list) return last.value;
    const { value } = getOrMake(results, list, () => ({ value: make() }));
    last = { list, value };
    return value;
  };
}
