import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { jsonSyntaxError } from '../../exchange/json-syntax-error.ts';
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

/** The file is no dialect; the message says what is wrong where. */
export class DialectError extends Error {
  override readonly name = 'DialectError';
}

/** One thing that such services do otherwise, and why nobody is accused of it. */
export interface Erratum {
  readonly id: string;
  readonly reason: string;
}

interface Excuse {
  readonly requirements: readonly string[];
  readonly found?: JsonSchema | boolean;
  readonly absent?: true;
  readonly in?: 'json' | 'stream';
}

/** A dialect as it lies in its file; `dialects/dialect.schema.json` describes it. */
interface DialectFile {
  readonly name: string;
  readonly betaHeader?: string;
  readonly errata: readonly (Erratum & {
    readonly paths?: Readonly<Record<string, string>>;
    readonly excuses?: readonly Excuse[];
  })[];
}

interface PreparedExcuse {
  readonly erratum: Erratum;
  readonly excuse: Excuse;
  readonly fits: ValidateFunction | null;
}

interface Alias {
  readonly erratum: Erratum;
  readonly operation: Operation;
  /** The segments of the path under which such services have it. */
  readonly template: readonly string[];
}

/** A dialect in force: it knows operations under other paths, and excuses what its errata name. */
export class Dialect {
  readonly name: string;
  /** Of the file: the same digest, the same dialect. */
  readonly digest: string;
  readonly betaHeader: string | null;
  /** Path of the specification → path that such services speak. */
  readonly paths: Readonly<Record<string, string>>;
  readonly errata: readonly Erratum[];
  readonly #excuses: readonly PreparedExcuse[];
  readonly #aliases: readonly Alias[];
  /** What of `#excuses` speaks of a requirement. */
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

  /** The operation that such services have at a path, and the erratum that says so; null where none does. */
  match(method: string, path: string): (PathMatch & { readonly erratum: Erratum }) | null {
    const asked = path.split('/');
    for (const { erratum, operation, template } of this.#aliases) {
      if (operation.method !== method) continue;
      const parameters = parametersIn(asked, template);
      if (parameters !== null) return { operation, path: parameters, erratum };
    }
    return null;
  }

  /** The erratum that excuses a complaint; null where none does. */
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

  /** Patterns of its excuses that speak of none of these requirements: mistyped, most likely. */
  strays(requirements: Iterable<string>): readonly string[] {
    const ids = [...requirements];
    return this.#excuses
      .flatMap(({ excuse }) => excuse.requirements)
      .filter((pattern) => !ids.some((id) => matchesGlob(pattern, id)));
  }
}

/** Reads a dialect file; `where` names it for people. Throws DialectError. */
export function readDialect(text: string, where: string): Dialect {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    throw new DialectError(`${where} is no JSON: ${jsonSyntaxError(error)}`);
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
    throw new DialectError(
      `${where} excuses what is no schema: ${error instanceof Error ? error.message : error}`,
    );
  }
}

let shape: ValidateFunction | undefined;

function check(file: unknown, where: string): asserts file is DialectFile {
  if (shape === undefined) {
    const path = createRequire(import.meta.url).resolve('#dialects/dialect.schema.json');
    const ajv = createAjv({ ajv: { allErrors: false, strict: false } });
    shape = ajv.compile(JSON.parse(readFileSync(path, 'utf8')));
  }
  if (shape(file)) return;
  const [error] = shape.errors ?? [];
  const place = error?.instancePath === '' ? 'at its root' : `at ${error?.instancePath}`;
  throw new DialectError(`${where} is no dialect: ${place} it ${error?.message}.`);
}

function covers({ excuse, fits }: PreparedExcuse, { at, actual }: Violation): boolean {
  if (excuse.in !== undefined && excuse.in !== (at.startsWith('event ') ? 'stream' : 'json')) return false;
  if (fits === null) return excuse.absent === undefined || actual === undefined;
  return actual === undefined ? excuse.absent === true : fits(actual) === true;
}

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

function unescaped(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
