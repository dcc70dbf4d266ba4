import type {
  CallInput,
  CallResult,
  FormPart,
  RoleName,
  ScenarioContext,
} from '../../drive/scenario/scenario.ts';
import type { CostClass } from '../../schemas/index.ts';
import { numberedSample, requestConstants } from '../data/requests.ts';
import { isObject, valueAtPath } from '../vocabulary/json.ts';
import type { Json } from '../vocabulary/types.ts';

/** A file as a form carries it. */
export interface FileValue {
  readonly file: Uint8Array;
  readonly filename: string;
  readonly type: string;
}

/** Fields of a body by name: JSON, and in a form also files. A field of a form that is a list is sent once per element. */
export type RequestFields = Readonly<Record<string, Json | FileValue>>;

/** Fields that keep a rule, and fields equal to them but for breaking it. */
export interface RuleCase {
  readonly control: RequestFields;
  readonly violation?: RequestFields;
}

/** A valid request of one operation, ready to be varied. Prerequisites exist. */
export interface ReadyRequest {
  readonly path?: Readonly<Record<string, string>>;
  /** The path of a second object below other owners, for probes of an id below an owner that it does not belong to. */
  readonly elsewhere?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** The required fields and nothing else. */
  readonly fields?: RequestFields;
  /** Sent along wherever they are not what is probed, to keep calls cheap or to tag what is made. */
  readonly cheap?: RequestFields;
  /** Further fields that a field of the body needs to be valid, given its value. */
  readonly companions?: (field: string, value: unknown) => RequestFields;
  /**
   * Valid values by path (`tools[]`, `metadata`, `query.after`), where the schema alone does not give one; `i`
   * counts elements of a list.
   */
  readonly samples?: Readonly<Record<string, (i: number) => Json | FileValue>>;
  /** For rules that no single value keeps or breaks, by keyword or by `pointer#keyword`: rules across fields, rules for files. */
  readonly rules?: Readonly<Record<string, readonly RuleCase[]>>;
  /** Where one request gets in the way of the next: ids of another path after this answer, or undefined to stay. */
  readonly renew?: (result: CallResult) => Promise<Readonly<Record<string, string>> | undefined>;
}

/** The facts that a family states about one operation; everything else about its probes follows from its schemas. */
export interface BaseRequest {
  readonly operation: string;
  readonly variant?: 'v1' | 'v2';
  /** Beyond the operation's own. */
  readonly cost?: readonly CostClass[];
  /** Beyond those of its required fields. */
  readonly roles?: readonly RoleName[];
  /** Globs of pointers that this base is for; other bases of the same operation then leave them alone. */
  readonly only?: readonly string[];
  /** Globs of `pointer#keyword.side` that cannot be probed, with the reason. */
  readonly leave?: Readonly<Record<string, string>>;
  /** True when making it ready lists what others make. */
  readonly lists?: boolean;
  readonly ready: (context: ScenarioContext) => ReadyRequest | Promise<ReadyRequest>;
}

/** Declares a base request with the constants of `data/requests/`; a family's `base.ts` exports what this gives back. */
export function baseRequest({ ready, ...declared }: BaseRequest): BaseRequest {
  return { ...declared, ready: async (context) => withConstants(declared.operation, await ready(context)) };
}

/**
 * A request that is ready, with the constants of its operation. A sample or rule that the request has itself counts, since it
 * depends on what was made for it.
 */
function withConstants(operation: string, ready: ReadyRequest): ReadyRequest {
  const { fields, cheap, companions = {}, samples = {}, rules } = requestConstants(operation);
  const values = Object.entries(samples).map(
    ([path, value]) => [path, (i: number) => numberedSample(value, i)] as const,
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

/** True for what `baseRequest` gives back: modules have no common type. */
export function isBaseRequest(value: unknown): value is BaseRequest {
  return typeof value === 'object' && value !== null && 'operation' in value && 'ready' in value;
}

export function isFile(value: unknown): value is FileValue {
  return typeof value === 'object' && value !== null && 'file' in value && value.file instanceof Uint8Array;
}

// Request fields on their way into a call: as a JSON body or as a form.

/** Fields as they are varied: nothing is known of them any more. */
export type LooseFields = Readonly<Record<string, unknown>>;

/** A request with these fields as its body, by JSON or as a form. */
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
    ...body(carrier, fields),
  };
}

/** The fields as a JSON body or as the parts of a form; an operation without a body sends neither. */
function body(carrier: 'json' | 'multipart' | null, fields: LooseFields): Pick<CallInput, 'body' | 'form'> {
  if (carrier === null) return {};
  // as: fields come from schemas and from JSON values of the families; files occur only in forms
  return carrier === 'json' ? { body: fields as Record<string, Json> } : { form: formParts(fields) };
}

/** The parts of a form. A list is sent once per element, under the same name. */
export function formParts(fields: LooseFields): readonly FormPart[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => part(name, one)),
  );
}

/** One part of a form: a file stays a file, any other value becomes text. */
function part(name: string, value: unknown): FormPart {
  if (isFile(value)) return { name, ...value };
  return { name, value: typeof value === 'string' ? value : JSON.stringify(value) };
}

/** Fields of a family, to be varied. */
export function looseFields(...fields: readonly (RequestFields | undefined)[]): LooseFields {
  return Object.assign({}, ...fields);
}

/** The key of the pair that sample objects have; maps of samples begin with it. */
export const OWN_PAIR = 'made_by';

/**
 * Another object after each response with other pairs of metadata: a target that adds those of a modification to the old ones
 * would otherwise have more than a map may have, which none of the requests asks for.
 */
export function renewAfterPairs(
  make: () => Promise<Readonly<Record<string, string>>>,
): NonNullable<ReadyRequest['renew']> {
  return async ({ ok, json }) => {
    const pairs = valueAtPath(json, 'metadata');
    const hasOthers = isObject(pairs) && Object.keys(pairs).some((key) => key !== OWN_PAIR);
    return ok && hasOthers ? make() : undefined;
  };
}
