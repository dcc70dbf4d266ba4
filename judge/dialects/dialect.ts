// A dialect describes how a family of services deviates from the specification: other paths for operations, errata that
// excuse violations, and requests for what the specification does not know. It never adds requirements.

import { matchesGlob } from '../../exchange/glob.ts';
import type { Json } from '../../exchange/http/body.ts';
import {
  createAjv,
  decodedSegment,
  type Operation,
  operations,
  type PathMatch,
  type ValidateFunction,
} from '../../schemas/index.ts';
import type { Violation } from '../requirements/requirement.ts';
import type { Call } from '../trace/call.ts';
import type { DialectFile, Erratum, UnknownMode, Vocabulary } from './erratum.ts';
import { covers, type PreparedExcuse, prepareExcuse } from './excuses.ts';
import { isRefusedFor, type PreparedRefusal, prepareRefusal } from './refusals.ts';

/** An operation under a path that the specification does not have. */
interface Alias {
  readonly erratum: Erratum;
  readonly operation: Operation;
  /** The segments of the path under which such services have it. */
  readonly template: readonly string[];
}

/** A mode with its schema compiled. */
interface PreparedMode extends UnknownMode {
  readonly operations: readonly string[];
  readonly asked: ValidateFunction;
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
  /** Parts of requests in which values beyond the specification are permitted. */
  readonly open: readonly Vocabulary[];
  readonly #excuses: readonly PreparedExcuse[];
  readonly #aliases: readonly Alias[];
  readonly #modes: readonly PreparedMode[];
  readonly #refusals: readonly PreparedRefusal[];
  /** The excuses for each requirement or cause, kept because patterns are slow to match. */
  readonly #byRequirement = new Map<string, readonly PreparedExcuse[]>();

  /** Throws Error where a schema or a pattern in the file is not valid. */
  constructor(file: DialectFile, digest: string) {
    this.name = file.name;
    this.digest = digest;
    this.betaHeader = file.betaHeader ?? null;
    this.open = file.open ?? [];
    this.paths = Object.assign({}, ...file.errata.map(({ paths }) => paths));
    this.errata = file.errata.map(({ id, reason }) => ({ id, reason }));
    const ajv = createAjv({ ajv: { strict: false } });
    this.#excuses = file.errata.flatMap(({ id, reason, excuses = [] }) =>
      excuses.map((excuse) => prepareExcuse(ajv, { id, reason }, excuse)),
    );
    this.#modes = file.errata.flatMap(({ id, reason, modes = [] }) =>
      modes.map((mode) => ({
        ...mode,
        erratum: { id, reason },
        asked: ajv.compile(mode.asked),
        omits: (mode.omits ?? []).map((pattern) => new RegExp(pattern)),
      })),
    );
    this.#refusals = file.errata.flatMap(({ id, reason, refusals = [] }) =>
      refusals.map((refusal) => prepareRefusal(ajv, { id, reason }, refusal)),
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

  /** Whether it names modes that the specification does not know: the answer to such a request may be about anything. */
  get hasModes(): boolean {
    return this.#modes.length > 0;
  }

  /** The mode that a request asks for, where the specification does not know it; else null. `fields` as in `Call.sentFields`. */
  modeOf(operation: string, fields: Json): UnknownMode | null {
    const own = this.#modes.filter(({ operations: ids }) => ids.includes(operation));
    const asked = own.filter((mode) => mode.asked(fields));
    const first = asked.find(({ unknown }) => unknown === 'answer') ?? asked[0];
    return first === undefined ? null : { ...first, omits: asked.flatMap(({ omits }) => omits) };
  }

  /** The erratum for which such services refuse this call though its request is valid; null if none does. */
  refusalOf(call: Call): Erratum | null {
    return this.#refusals.find((one) => isRefusedFor(one, call))?.erratum ?? null;
  }

  /** The erratum that excuses a violation, which `call` shows; null if none does. */
  excuse(requirement: string, violation: Violation, call: Call | null): Erratum | null {
    const { causeId } = violation;
    const ids = causeId === undefined ? [requirement] : [requirement, causeId];
    const key = ids.at(-1) ?? requirement;
    let candidates = this.#byRequirement.get(key);
    if (candidates === undefined) {
      candidates = this.#excuses.filter(({ excuse }) =>
        excuse.requirements.some((pattern) => ids.some((id) => matchesGlob(pattern, id))),
      );
      this.#byRequirement.set(key, candidates);
    }
    return candidates.find((one) => covers(one, violation, call))?.erratum ?? null;
  }

  /** Patterns of excuses that match none of these ids of requirements and causes: probably mistyped. */
  strays(known: Iterable<string>): readonly string[] {
    const ids = [...known];
    return this.#excuses
      .flatMap(({ excuse }) => excuse.requirements)
      .filter((pattern) => !ids.some((id) => matchesGlob(pattern, id)));
  }
}

/** The values of the template's parameters; null if the path does not match. Parameters are never empty. */
function parametersIn(asked: readonly string[], template: readonly string[]): Record<string, string> | null {
  if (asked.length !== template.length) return null;
  const found: Record<string, string> = {};
  for (const [n, part] of template.entries()) {
    const given = asked[n] ?? '';
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined ? part !== given : given === '') return null;
    if (name !== undefined) found[name] = decodedSegment(given);
  }
  return found;
}
