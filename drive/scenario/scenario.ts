import type { Exchange, Probe } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import type { AwaitedState, MissingSetting, Obstacle } from '../../exchange/note.ts';
import { type CostClass, type FamilyName, operation } from '../../schemas/index.ts';
import type { RoleName } from './model-roles.ts';
import { shownByScenario } from './shown-by-scenario.ts';

export type FormPart =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly file: Uint8Array; readonly filename: string; readonly type: string }
  | RepeatedPart;

export interface RepeatedPart {
  readonly name: string;
  /** The file repeats `text`, cut to exactly `bytes` bytes. */
  readonly repeated: { readonly text: string; readonly bytes: number };
  /** Name of the file in the form; nothing is read from the disk. */
  readonly filename: string;
  /** Content type of the part, such as `application/jsonl`. */
  readonly type: string;
}

/** The variable parts of one request; method and path template come from the operation. */
export interface CallInput {
  /** Path parameters by name; encoded when sent. */
  readonly path?: Readonly<Record<string, string>>;
  /** Uses the alternative path of the operation, if it has one. */
  readonly otherPath?: boolean;
  /** Query parameters, sent as text. */
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  /** A JSON body; a call has at most one of `body` and `form`. */
  readonly body?: Json;
  /** Parts of a multipart form, in order; a call has at most one of `body` and `form`. */
  readonly form?: readonly FormPart[];
  /**
   * Variant of the operation, which decides the beta header. Default: the version that the target serves if it refuses
   * the other, else the first variant. `none` sends no beta header; a variant that the operation does not have still
   * sends its header.
   */
  readonly variant?: 'v1' | 'v2' | 'none';
  /** More header fields; they replace default ones of the same names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Leaves out the key, or sends an invalid one, or the key of another organization. */
  readonly auth?: 'absent' | 'wrong' | 'second';
  /** Label of a request that is sent to learn whether it is accepted or rejected; it becomes part of the exchange. */
  readonly probe?: Omit<Probe, 'operation'>;
  /** Disconnects after this many bytes of the response body. */
  readonly abortAfter?: number;
}

const INPUT_KEYS: readonly string[] = Object.keys({
  path: 0,
  otherPath: 0,
  query: 0,
  body: 0,
  form: 0,
  variant: 0,
  headers: 0,
  auth: 0,
  probe: 0,
  abortAfter: 0,
} satisfies Record<keyof CallInput, 0>);

/** A global symbol, so that scenarios of another copy of this module are recognised. */
const BRAND = Symbol.for('assay.scenario');

/** Throws TypeError for a key that CallInput does not have, because its value would not be sent. */
export function refuseUnknownInput(operation: string, input: CallInput): void {
  const unknown = Object.keys(input).find((key) => !INPUT_KEYS.includes(key));
  if (unknown !== undefined)
    throw new TypeError(
      `The call of ${operation} has ${JSON.stringify(unknown)}; it takes ${INPUT_KEYS.join(', ')}.`,
    );
}

/** The result of a call, for finding ids and deciding how to continue: a scenario asserts nothing. */
export interface CallResult {
  /** The recorded exchange, with secrets replaced. */
  readonly exchange: Exchange;
  /** Whether the status is 2xx. */
  readonly ok: boolean;
  /** Null if no status line arrived. */
  readonly status: number | null;
  /** The response body as JSON; undefined if it is not JSON. */
  readonly json: Json | undefined;
  /** String at a JSON pointer of the response body; without one, throws ScenarioBlocked, which ends the scenario. */
  text(pointer: string): string;
}

/** The interface through which a scenario sends requests; one per run of a scenario. */
export interface ScenarioContext {
  /** Sends one request; resolves with any response, even an error or none. Rejects once the run or scenario is over. */
  call(operation: string, input?: CallInput): Promise<CallResult>;
  /** Like `call`, but throws ScenarioBlocked unless the response is 2xx. */
  need(operation: string, input?: CallInput): Promise<CallResult>;
  /** Like `need`, for optional parts: if the response is not 2xx, returns null, and the scenario ends as blocked. */
  want(operation: string, input?: CallInput): Promise<CallResult | null>;
  /** Repeats a GET with growing pauses until `settled`, a 4xx, or the deadline, where it may throw ScenarioWaiting. */
  poll(operation: string, input: CallInput, settled: (json: Json) => boolean): Promise<CallResult>;
  /** Downloads a URL from a response, without the key; sends nothing and returns null if it is not on the target. */
  download(url: string): Promise<Exchange | null>;
  /** Waits until a new object would get a later `created_at` than the last one; `created_at` is in whole seconds. */
  nextSecond(): Promise<void>;
  /**
   * Sends a streamed call, at most twelve times, until the clock shows another second while the stream arrives;
   * returns the last result. A service that takes a value from its clock then changes it within the stream. Does not
   * repeat refused calls, streams that arrive at once, or those of the embedded reference.
   */
  acrossSeconds(operation: string, input: CallInput): Promise<CallResult>;
  /** Model id of a role; throws ScenarioNotConfigured if it has none. */
  model(role: RoleName): string;
  /** The field `model` for a request that may leave it out; an empty object if the role has no model. */
  modelField(role: RoleName): Readonly<Record<string, string>>;
  /** Short text unique to this run and scenario, for names, metadata and file names. */
  readonly tag: string;
  /** The version of the assistants API that the target serves, if it refuses the other. */
  readonly version: 'v1' | 'v2' | undefined;
  /** An id of the usual form that no object has. */
  unknownId(prefix: string): string;
}

/** Declaration of a scenario. It decides whether the scenario runs, so it must name all costs and required roles. */
export interface ScenarioPlan {
  /** `family.topic`, unique. */
  readonly name: string;
  /** Default: the first word of the name. */
  readonly family?: FamilyName;
  /** Ids of the operations that it is about. It may call others, such as those that create what it needs. */
  readonly operations: readonly string[];
  /** Cost classes that must be allowed for it to run. Default: those of its operations, `free` only if it is alone. */
  readonly cost?: readonly CostClass[];
  /** Roles whose models it uses. Default: none. */
  readonly roles?: readonly RoleName[];
  /** Optional roles, whose models it uses if there are any. Default: none. */
  readonly optionalRoles?: readonly RoleName[];
  /** The key without which the scenario shows nothing: the only or first one, or that of a second organization. */
  readonly key?: 'one' | 'second';
  /** Whether it lists objects of other scenarios. Default: whether one of `operations` lists all objects. */
  readonly lists?: boolean;
  /**
   * Whether it sends probes. Expected evidence then names it only for acceptance, rejection, and requirements that no
   * scenario without probes shows.
   */
  readonly probes?: boolean;
  /** Sends the requests. Errors that the context throws, such as ScenarioBlocked, end the scenario. */
  readonly run: (context: ScenarioContext) => Promise<void>;
}

/** A scenario with resolved defaults, and the ids that it is known to show. */
export interface Scenario extends ScenarioPlan {
  /** The family that must be claimed for the scenario to run. */
  readonly family: FamilyName;
  /** Cost classes that must be allowed for the scenario to run. */
  readonly cost: readonly CostClass[];
  /** Roles that need a model for the scenario to run. */
  readonly roles: readonly RoleName[];
  /** Ids of the requirements and choices that it is known to show; null if nothing is known of it. */
  readonly shows: ReadonlySet<string> | null;
}

/** Declares a scenario; a suite file exports the result. */
export function scenario(plan: ScenarioPlan): Scenario {
  const { name, operations } = plan;
  const [family = name] = name.split('.');
  const cost = plan.cost ?? costsOf(operations);
  return Object.freeze({ family, roles: [], ...plan, cost, shows: shownByScenario(name), [BRAND]: true });
}

function costsOf(operations: readonly string[]): readonly CostClass[] {
  const costs = new Set(operations.map((id) => operation(id).cost));
  if (costs.size > 1) costs.delete('free');
  return [...costs];
}

/** Whether a value is a result of `scenario`, even of another copy of this module. */
export function isScenario(value: unknown): value is Scenario {
  return typeof value === 'object' && value !== null && BRAND in value;
}

/** Thrown if the response of an exchange does not let the scenario continue; a note in the trace says so. */
export class ScenarioBlocked extends Error {
  override readonly name = 'ScenarioBlocked';
  /** Id of the exchange that blocked the scenario. */
  readonly by: string;
  readonly obstacle: Obstacle;

  constructor(by: string, obstacle: Obstacle) {
    super(`blocked by ${by}`);
    this.by = by;
    this.obstacle = obstacle;
  }
}

/** Thrown if the rest of a scenario needs a model or key that the configuration does not contain; ends the scenario. */
export class ScenarioNotConfigured extends Error {
  override readonly name = 'ScenarioNotConfigured';
  readonly missing: MissingSetting;

  constructor(missing: MissingSetting) {
    super('not configured');
    this.missing = missing;
  }
}

/** Thrown if an awaited state is not reached in time. The objects stay on the target for a later run to resume. */
export class ScenarioWaiting extends Error {
  override readonly name = 'ScenarioWaiting';
  readonly wait: AwaitedState;

  constructor(wait: AwaitedState) {
    super('waiting');
    this.wait = wait;
  }
}

/** Thrown by calls once their scenario or the run has ended: out of budget, interrupted, or its target gone. */
export class RunStopped extends Error {
  override readonly name = 'RunStopped';
}

/** The run ended before the request of a call was sent, so the call created nothing. */
export class RequestNotSent extends RunStopped {}
