// The specification in effect: the files beside this one, and what extensions add. Everything that is computed from it is
// computed once for each specification, so that a process can judge with an extension and then without.
import type { JsonSchema, Operation } from './contract.ts';

/** A schema by its name. */
export interface SchemaFile {
  readonly name: string;
  /** `objects/file.json`, below the folder of `openapi.json`; those of an extension lie in a folder of its name. */
  readonly path: string;
  readonly schema: JsonSchema;
}

/** The additions of an extension to the specification. Everything in it has a name that begins with that of the extension. */
export interface SpecificationExtension {
  /** Also the family of its operations. */
  readonly name: string;
  /** Its file, as the user named it. */
  readonly file: string;
  /** Digest of its files: traffic is judged by the extension that it was driven with. */
  readonly digest: string;
  readonly operations: readonly Operation[];
  readonly schemas: readonly SchemaFile[];
  /** The regular expressions of its schemas, each with a test that no text can stall. */
  readonly patterns: ReadonlyMap<string, (text: string) => boolean>;
  /** Model ids by role, for runs that are given no other. */
  readonly models: Readonly<Record<string, string>>;
  /** Assumptions where its files leave something open, in sentences for its user. */
  readonly notices: readonly string[];
  /** Everything that its suites export: requirements, choices, scenarios, equivalent mutants. */
  readonly exports: readonly unknown[];
}

/** The specification that comes with assay, and its extensions. */
interface Specification {
  readonly extensions: readonly SpecificationExtension[];
}

const BUILT_IN: Specification = { extensions: [] };
let inEffect = BUILT_IN;

/** The extensions in effect, in the order in which they were named. */
export function extensions(): readonly SpecificationExtension[] {
  return inEffect.extensions;
}

/** Puts these extensions, and no others, into effect for this thread. The same list gives what was computed from it before. */
export function useExtensions(wanted: readonly SpecificationExtension[]): void {
  if (
    wanted.length === inEffect.extensions.length &&
    wanted.every((one, i) => one === inEffect.extensions[i])
  )
    return;
  inEffect = wanted.length === 0 ? BUILT_IN : { extensions: wanted };
}

/** A function whose result is computed once for each specification that is in effect. */
export function perSpecification<T>(make: () => T): () => T {
  const made = new WeakMap<Specification, { readonly value: T }>();
  // Asked for with every request, and the specification rarely changes.
  let last: { readonly of: Specification; readonly value: T } | undefined;
  return () => {
    const specification = inEffect;
    if (last?.of === specification) return last.value;
    const known = made.get(specification) ?? { value: make() };
    made.set(specification, known);
    last = { of: specification, value: known.value };
    return known.value;
  };
}
