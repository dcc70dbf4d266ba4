import type { RoleName } from '../../drive/scenario/model-roles.ts';
import type { CallInput, CallResult, FormPart, ScenarioContext } from '../../drive/scenario/scenario.ts';
import type { CostClass } from '../../schemas/index.ts';
import { fillIndex, requestConstants } from '../data/requests.ts';
import { isObject, valueAtPath } from '../vocabulary/json.ts';
import type { Json } from '../vocabulary/types.ts';

export interface FileValue {
  readonly file: Uint8Array;
  readonly filename: string;
  /** Media type of the part: `image/png`. */
  readonly type: string;
}

/** Fields of a body by name: JSON or, in a form, files. A form repeats the field for each element of a list. */
export type RequestFields = Readonly<Record<string, Json | FileValue>>;

export interface RuleCase {
  /** Fields that satisfy the rule; they replace those of the request with the same names. */
  readonly control: RequestFields;
  /** Fields that violate the rule and differ in nothing else; absent if only acceptance is probed. */
  readonly violation?: RequestFields;
}

/** A valid request of one operation, whose prerequisites exist; probes vary it. */
export interface ReadyRequest {
  /** Path parameters by name. Default: none. */
  readonly path?: Readonly<Record<string, string>>;
  /** The path of a second object below other owners, for probes of an id below the wrong owner. */
  readonly elsewhere?: Readonly<Record<string, string>>;
  /** Query parameters by name. Default: none. */
  readonly query?: Readonly<Record<string, string>>;
  /** The required fields and nothing else; a modification may add metadata, so as not to be empty. */
  readonly fields?: RequestFields;
  /** Fields that are sent unless they are probed: they keep calls cheap, or tag the created objects. */
  readonly cheap?: RequestFields;
  /** Further fields without which a request with this value of the field would be invalid. */
  readonly companions?: (field: string, value: unknown) => RequestFields;
  /**
   * Valid values by path (`tools[]`, `metadata`, `query.after`), where the schema does not yield one; `i` is the index
   * of a list element.
   */
  readonly samples?: Readonly<Record<string, (i: number) => Json | FileValue>>;
  /** Cases for rules that no single value satisfies or violates, by keyword or by `pointer#keyword`. */
  readonly rules?: Readonly<Record<string, readonly RuleCase[]>>;
  /** If one request affects the next: returns another path after this response, or undefined to keep the path. */
  readonly renew?: (result: CallResult) => Promise<Readonly<Record<string, string>> | undefined>;
}

/** A family's facts about the requests of one operation; the schemas supply everything else for its probes. */
export interface BaseRequest {
  /** Id of the operation. */
  readonly operation: string;
  /** Default: the first variant of the operation that counts. */
  readonly variant?: 'v1' | 'v2';
  /** Costs in addition to those of the operation itself. */
  readonly cost?: readonly CostClass[];
  /** Roles in addition to those of the required fields. */
  readonly roles?: readonly RoleName[];
  /** Roles whose models the request may leave out. */
  readonly optionalRoles?: readonly RoleName[];
  /** Globs of pointers that this base covers; other bases of the operation leave them out. */
  readonly only?: readonly string[];
  /** Globs of `pointer#keyword.side` that cannot be probed, with the reason. */
  readonly leave?: Readonly<Record<string, string>>;
  /** True if `ready` lists objects of other clients. */
  readonly lists?: boolean;
  /** Creates the objects that the request needs, and returns the request. */
  readonly ready: (context: ScenarioContext) => ReadyRequest | Promise<ReadyRequest>;
}

/**
 * Declares a base request, to which the constants of `data/requests/` are added; export it from the `base.ts` of a
 * family, alone or in a list.
 */
export function baseRequest({ ready, ...declared }: BaseRequest): BaseRequest {
  return { ...declared, ready: async (context) => withConstants(declared.operation, await ready(context)) };
}

/** Companions, samples and rules of the request win over the constants, because they may name created objects. */
function withConstants(operation: string, ready: ReadyRequest): ReadyRequest {
  const { fields, cheap, companions = {}, samples = {}, rules } = requestConstants(operation);
  const values = Object.entries(samples).map(
    ([path, value]) => [path, (i: number) => fillIndex(value, i)] as const,
  );
  return {
    ...ready,
    ...(fields === undefined ? {} : { fields: { ...ready.fields, ...fields } }),
    ...(cheap === undefined ? {} : { cheap: { ...ready.cheap, ...cheap } }),
    companions: (field, value) => ({ ...companions[field], ...ready.companions?.(field, value) }),
    samples: { ...Object.fromEntries(values), ...ready.samples },
    rules: { ...rules, ...ready.rules },
  };
}

export function isBaseRequest(value: unknown): value is BaseRequest {
  return typeof value === 'object' && value !== null && 'operation' in value && 'ready' in value;
}

function isFile(value: unknown): value is FileValue {
  return typeof value === 'object' && value !== null && 'file' in value && value.file instanceof Uint8Array;
}

/** Fields of a body that may violate its schema. */
export type LooseFields = Readonly<Record<string, unknown>>;

export function withBodyFields(
  base: BaseRequest,
  ready: ReadyRequest,
  carrier: 'json' | 'multipart' | null,
  fields: LooseFields,
): CallInput {
  const { path, query } = ready;
  return {
    ...(path === undefined ? {} : { path }),
    ...(query === undefined ? {} : { query }),
    ...(base.variant === undefined ? {} : { variant: base.variant }),
    ...bodyOf(carrier, fields),
  };
}

function bodyOf(carrier: 'json' | 'multipart' | null, fields: LooseFields): Pick<CallInput, 'body' | 'form'> {
  if (carrier === null) return {};
  // as: fields come from schemas and from JSON values of the families; files occur only in forms
  return carrier === 'json' ? { body: fields as Record<string, Json> } : { form: formParts(fields) };
}

export function formParts(fields: LooseFields): readonly FormPart[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => formPart(name, one)),
  );
}

function formPart(name: string, value: unknown): FormPart {
  if (isFile(value)) return { name, ...value };
  return { name, value: typeof value === 'string' ? value : JSON.stringify(value) };
}

export function looseFields(...fields: readonly (RequestFields | undefined)[]): LooseFields {
  return Object.assign({}, ...fields);
}

/** The metadata key that the objects of the suite have; sample maps begin with it. */
export const OWN_PAIR = 'made_by';

/** Renews the object, because a target that merges metadata would otherwise exceed the maximum number of pairs. */
export function renewAfterPairs(
  make: () => Promise<Readonly<Record<string, string>>>,
): NonNullable<ReadyRequest['renew']> {
  return async ({ ok, json }) => {
    const pairs = valueAtPath(json, 'metadata');
    const hasOthers = isObject(pairs) && Object.keys(pairs).some((key) => key !== OWN_PAIR);
    return ok && hasOthers ? make() : undefined;
  };
}
