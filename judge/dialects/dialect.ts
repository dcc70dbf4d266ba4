// A dialect describes a family of services: their other paths, errata that excuse violations, further permitted values,
// and the only permitted alternative of some choices. It adds no requirements, but a pinned choice can fail.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { matchesGlob } from '../../exchange/glob.ts';
import type { Json } from '../../exchange/http/body.ts';
import { parseJsonFile } from '../../exchange/json-file.ts';
import { describeSchemaError, messageOf } from '../../schemas/error-message.ts';
import {
  createAjv,
  type JsonSchema,
  matchTemplate,
  type Operation,
  operations,
  type PathMatch,
  type PathTemplate,
  parseTemplate,
  type ValidateFunction,
} from '../../schemas/index.ts';
import { getOrMake, groupBy } from '../../schemas/maps.ts';
import type { Violation } from '../requirements/requirement.ts';
import type { Call, Erratum, UnknownMode } from '../trace/call.ts';
import { compileConditions, type Excuse, type ExcuseCondition } from './excuses.ts';
import { compileRefusalTest, type RefusalEntry } from './permitted-refusals.ts';

interface Alias {
  readonly erratum: Erratum;
  readonly operation: Operation;
  readonly template: PathTemplate;
}

interface PreparedExcuse {
  readonly erratum: Erratum;
  readonly requirements: readonly string[];
  readonly conditions: readonly ExcuseCondition[];
}

interface PreparedMode extends UnknownMode {
  readonly operations: readonly string[];
  readonly matches: ValidateFunction;
}

export class Dialect {
  readonly name: string;
  /** First 16 hex digits of the SHA-256 of the file. */
  readonly digest: string;
  /** The header that selects the variant; null for the default. */
  readonly betaHeader: string | null;
  /** Paths of the services that the dialect describes, by path of the specification. */
  readonly paths: Readonly<Record<string, string>>;
  readonly errata: readonly Erratum[];
  readonly open: readonly Vocabulary[];
  readonly choices: Readonly<Record<string, string>>;
  readonly #excuses: PreparedExcuse[] = [];
  readonly #aliases: Alias[] = [];
  readonly #modes: PreparedMode[] = [];
  readonly #refusals: { readonly erratum: Erratum; readonly permits: (call: Call) => boolean }[] = [];
  readonly #excusesByIds = new Map<string, readonly PreparedExcuse[]>();

  constructor(file: DialectFile, digest: string) {
    this.name = file.name;
    this.digest = digest;
    this.betaHeader = file.betaHeader ?? null;
    this.open = file.open ?? [];
    this.choices = file.choices ?? {};
    this.paths = Object.assign({}, ...file.errata.map(({ paths }) => paths));
    this.errata = file.errata.map(({ id, reason }) => ({ id, reason }));
    const ajv = createAjv({ ajv: { strict: false } });
    for (const { id, reason, paths = {}, excuses = [], modes = [], refusals = [] } of file.errata) {
      const erratum = { id, reason };
      for (const [path, other] of Object.entries(paths))
        for (const operation of operations())
          if (operation.path === path)
            this.#aliases.push({ erratum, operation, template: parseTemplate(other) });
      for (const excuse of excuses) {
        const { requirements } = excuse;
        this.#excuses.push({ erratum, requirements, conditions: compileConditions(excuse, ajv) });
      }
      for (const mode of modes) {
        const omits = (mode.omits ?? []).map((pattern) => new RegExp(pattern));
        this.#modes.push({ ...mode, erratum, matches: ajv.compile(mode.asked), omits });
      }
      for (const refusal of refusals)
        this.#refusals.push({ erratum, permits: compileRefusalTest(refusal, ajv) });
    }
  }

  /** Finds the operation that services with this dialect offer at another path; null if there is none. */
  match(method: string, path: string): (PathMatch & { readonly erratum: Erratum }) | null {
    const segments = path.split('/');
    for (const { erratum, operation, template } of this.#aliases) {
      if (operation.method !== method) continue;
      const parameters = matchTemplate(template, segments);
      if (parameters !== null) return { operation, path: parameters, erratum };
    }
    return null;
  }

  get hasModes(): boolean {
    return this.#modes.length > 0;
  }

  modeOf(operation: string, fields: Json): UnknownMode | null {
    const own = this.#modes.filter(({ operations: ids }) => ids.includes(operation));
    const matching = own.filter((mode) => mode.matches(fields));
    const first = matching.find(({ unknown }) => unknown === 'answer') ?? matching[0];
    return first === undefined ? null : { ...first, omits: matching.flatMap(({ omits }) => omits) };
  }

  refusalOf(call: Call): Erratum | null {
    return this.#refusals.find(({ permits }) => permits(call))?.erratum ?? null;
  }

  excuse(requirement: string, violation: Violation, call: Call | null): Erratum | null {
    const { causeId, closes } = violation;
    const ids = causeId === undefined || closes === true ? [requirement] : [requirement, causeId];
    const candidates = getOrMake(this.#excusesByIds, ids.join(' '), () =>
      this.#excuses.filter(({ requirements }) =>
        requirements.some((pattern) => ids.some((id) => matchesGlob(pattern, id))),
      ),
    );
    const excuse = candidates.find(({ conditions }) => conditions.every((holds) => holds(violation, call)));
    return excuse?.erratum ?? null;
  }

  /** Patterns in excuses that match no known id and are probably mistyped. */
  unknownPatterns(known: Iterable<string>): readonly string[] {
    const ids = [...known];
    return this.#excuses
      .flatMap(({ requirements }) => requirements)
      .filter((pattern) => !ids.some((id) => matchesGlob(pattern, id)));
  }
}

/** Requests for an unspecified mode, and the part of their responses that cannot be judged. */
interface ModeEntry {
  readonly operations: readonly string[];
  /** Schema of the fields of such requests; a file is represented by its name. */
  readonly asked: JsonSchema;
  readonly unknown: 'answer' | 'echoes';
  readonly omits?: readonly string[];
}

export type Vocabulary = 'enum' | 'const' | 'shapes' | 'fields';

export interface DialectFile {
  readonly name: string;
  /** Header that selects the variant, such as `OpenAI-Beta`. Default: the header of the run. */
  readonly betaHeader?: string;
  /** Parts of requests in which unlisted values are permitted. Default: none. */
  readonly open?: readonly Vocabulary[];
  /** The only permitted alternative, by id of the choice. Default: every alternative is permitted. */
  readonly choices?: Readonly<Record<string, string>>;
  /** Known deviations of services with this dialect; `paths` maps paths of the specification to theirs. */
  readonly errata: readonly (Erratum & {
    readonly paths?: Readonly<Record<string, string>>;
    readonly excuses?: readonly Excuse[];
    readonly modes?: readonly ModeEntry[];
    readonly refusals?: readonly RefusalEntry[];
  })[];
}

class DialectError extends Error {
  override readonly name = 'DialectError';
}

/** `where` names the file in messages. Throws DialectError. */
export function readDialect(text: string, where: string): Dialect {
  const parsed: unknown = parseJsonFile(text, where, DialectError);
  checkShape(parsed, where);
  const file = { errata: [], ...parsed };
  const errataById = groupBy(file.errata, ({ id }) => id);
  for (const [id, { length }] of errataById)
    if (length > 1)
      throw new DialectError(`${where} has ${length} errata with the id ${id}; rename all but one.`);
  const unknownPath = file.errata
    .flatMap(({ paths = {} }) => Object.keys(paths))
    .find((path) => !operations().some((operation) => operation.path === path));
  if (unknownPath !== undefined)
    throw new DialectError(`${where} maps the path ${unknownPath}, which no operation has.`);
  const unknownId = operationsIn(file).find((id) => !operations().some((operation) => operation.id === id));
  if (unknownId !== undefined)
    throw new DialectError(`${where} names the operation ${unknownId}, which is unknown; see assay list.`);
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  try {
    return new Dialect(file, digest);
  } catch (error) {
    throw new DialectError(
      `${where}: a schema or a pattern of an erratum is not a valid JSON Schema or regular expression: ${messageOf(error)}`,
    );
  }
}

function operationsIn({ errata }: DialectFile): readonly string[] {
  return errata.flatMap(({ excuses = [], modes = [], refusals = [] }) =>
    [...excuses, ...modes, ...refusals].flatMap(({ operations: named = [] }) => named),
  );
}

let validateShape: ValidateFunction | undefined;

function checkShape(
  file: unknown,
  where: string,
): asserts file is Omit<DialectFile, 'errata'> & Partial<Pick<DialectFile, 'errata'>> {
  if (validateShape === undefined) {
    const path = createRequire(import.meta.url).resolve('#dialects/dialect.schema.json');
    const ajv = createAjv({ ajv: { allErrors: true, strict: false } });
    validateShape = ajv.compile(JSON.parse(readFileSync(path, 'utf8')));
  }
  if (validateShape(file)) return;
  throw new DialectError(`${where} is not a valid dialect: ${describeSchemaError(validateShape.errors)}.`);
}
