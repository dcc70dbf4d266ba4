// A dialect describes how a family of services deviates from the specification: other paths for operations, and
// errata that excuse
// violations. It never adds requirements.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { jsonSyntaxError } from '../../exchange/json-syntax-error.ts';
import { messageOf } from '../../schemas/error-message.ts';
import {
  createAjv,
  type JsonSchema,
  type Operation,
  operations,
  type PathMatch,
  type ValidateFunction,
} from '../../schemas/index.ts';
import { matchesGlob } from '../requirements/glob.ts';
import type { Violation } from '../requirements/requirement.ts';

/** The file is not a valid dialect; the message names the place and the problem. */
class DialectError extends Error {
  override readonly name = 'DialectError';
}

/** One known deviation of such services, and the reason for which it is not reported as a failure. */
export interface Erratum {
  readonly id: string;
  readonly reason: string;
}

/** Which violations an erratum excuses. */
interface Excuse {
  /** Ids of requirements, with `*`. */
  readonly requirements: readonly string[];
  /** Schema of the actual value; any value if absent. */
  readonly found?: JsonSchema | boolean;
  /** Set if a missing value is excused, too. */
  readonly absent?: true;
  /** Only in responses of this form; in both if absent. */
  readonly in?: 'json' | 'stream';
}

/** The content of a dialect file; `dialect.schema.json` describes it. */
interface DialectFile {
  readonly name: string;
  readonly betaHeader?: string;
  readonly errata: readonly (Erratum & {
    /** Path of the specification → path of such services. */
    readonly paths?: Readonly<Record<string, string>>;
    readonly excuses?: readonly Excuse[];
  })[];
}

/** An excuse with its schema compiled; `fits` is null if it has none. */
interface PreparedExcuse {
  readonly erratum: Erratum;
  readonly excuse: Excuse;
  readonly fits: ValidateFunction | null;
}

/** An operation under a path that the specification does not have. */
interface Alias {
  readonly erratum: Erratum;
  readonly operation: Operation;
  /** The segments of the path under which such services have it. */
  readonly template: readonly string[];
}

/** A dialect in force: it finds operations under other paths, and excuses what its errata name. */
export class Dialect {
  readonly name: string;
  /** First 16 hex digits of the SHA-256 of the file: equal digests mean the same dialect. */
  readonly digest: string;
  /** The header that selects the variant; null for the default. */
  readonly betaHeader: string | null;
  /** Path of the specification → path of such services. */
  readonly paths: Readonly<Record<string, string>>;
  readonly errata: readonly Erratum[];
  readonly #excuses: readonly PreparedExcuse[];
  readonly #aliases: readonly Alias[];
  /** The excuses for each requirement, kept because patterns are slow to match. */
  readonly #byRequirement = new Map<string, readonly PreparedExcuse[]>();

  constructor(file: DialectFile, digest: string) {
    this.name = file.name;
    this.digest = digest;
    this.betaHeader = file.betaHeader ?? null;
    this.paths = Object.assign({}, ...file.errata.map(({ paths }) => paths));
    this.errata = file.errata.map(({ id, reason }) => ({ id, reason }));
    const ajv = createAjv({ ajv: { strict: false } });
    this.#excuses = file.errata.flatMap(({ id, reason, excuses = [] }) =>
      excuses.map((excuse) => ({
        erratum: { id, reason },
        excuse,
        fits: excuse.found === undefined ? null : ajv.compile(excuse.found),
      })),
    );
    this.#aliases = file.errata.flatMap(({ id, reason, paths = {} }) =>
      Object.entries(paths).flatMap(([path, other]) =>
        operations()
          .filter((operation) => operation.path === path)
          .map((operation) => ({ erratum: { id, reason }, operation, template: other.split('/') })),
      ),
    );
  }

  /** The operation at a path, with the erratum that moves it; null if no erratum does. */
  match(method: string, path: string): (PathMatch & { readonly erratum: Erratum }) | null {
    const asked = path.split('/');
    for (const { erratum, operation, template } of this.#aliases) {
      if (operation.method !== method) continue;
      const parameters = parametersIn(asked, template);
      if (parameters !== null) return { operation, path: parameters, erratum };
    }
    return null;
  }

  /** The erratum that excuses a violation; null if none does. */
  excuse(requirement: string, violation: Violation): Erratum | null {
    let candidates = this.#byRequirement.get(requirement);
    if (candidates === undefined) {
      candidates = this.#excuses.filter(({ excuse }) =>
        excuse.requirements.some((pattern) => matchesGlob(pattern, requirement)),
      );
      this.#byRequirement.set(requirement, candidates);
    }
    return candidates.find((one) => covers(one, violation))?.erratum ?? null;
  }

  /** Patterns of excuses that match none of these requirements: probably mistyped. */
  strays(requirements: Iterable<string>): readonly string[] {
    const ids = [...requirements];
    return this.#excuses
      .flatMap(({ excuse }) => excuse.requirements)
      .filter((pattern) => !ids.some((id) => matchesGlob(pattern, id)));
  }
}

/** Reads a dialect file. `where` names the file in messages. Throws DialectError. */
export function readDialect(text: string, where: string): Dialect {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    throw new DialectError(`${where} is not valid JSON: ${jsonSyntaxError(error)}`);
  }
  check(file, where);
  const odd = file.errata
    .flatMap(({ paths = {} }) => Object.keys(paths))
    .find((path) => !operations().some((operation) => operation.path === path));
  if (odd !== undefined)
    throw new DialectError(`${where} gives ${odd} another path, but no operation has it.`);
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  try {
    return new Dialect(file, digest);
  } catch (error) {
    throw new DialectError(`${where}: "found" of an excuse is not a valid JSON Schema: ${messageOf(error)}`);
  }
}

let shape: ValidateFunction | undefined;

/** Validates a dialect file. Throws DialectError with the first problem. */
function check(file: unknown, where: string): asserts file is DialectFile {
  if (shape === undefined) {
    const path = createRequire(import.meta.url).resolve('#dialects/dialect.schema.json');
    const ajv = createAjv({ ajv: { allErrors: false, strict: false } });
    shape = ajv.compile(JSON.parse(readFileSync(path, 'utf8')));
  }
  if (shape(file)) return;
  const [error] = shape.errors ?? [];
  const place = error?.instancePath === '' ? 'at its root' : `at ${error?.instancePath}`;
  throw new DialectError(`${where} is not a valid dialect: ${place} it ${error?.message}.`);
}

/** Whether an excuse applies to a violation: by the form of the response, then by the actual value. */
function covers({ excuse, fits }: PreparedExcuse, { at, actual }: Violation): boolean {
  if (excuse.in !== undefined && excuse.in !== (at.startsWith('event ') ? 'stream' : 'json')) return false;
  if (fits === null) return excuse.absent === undefined || actual === undefined;
  return actual === undefined ? excuse.absent === true : fits(actual) === true;
}

/** The values of the template's parameters; null if the path does not match. Parameters are never empty. */
function parametersIn(asked: readonly string[], template: readonly string[]): Record<string, string> | null {
  if (asked.length !== template.length) return null;
  const found: Record<string, string> = {};
  for (const [n, part] of template.entries()) {
    const given = asked[n] ?? '';
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined ? part !== given : given === '') return null;
    if (name !== undefined) found[name] = unescaped(given);
  }
  return found;
}

/** A percent-decoded path segment; the segment itself if its escapes are invalid. */
function unescaped(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
