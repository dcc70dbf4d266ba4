import type { Exchange, Probe } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import type { AwaitedState, Missing, Obstacle } from '../../exchange/note.ts';
import { type CostClass, extensions, type FamilyName, operation } from '../../schemas/index.ts';
import { shownByScenario } from './shown-by-scenario.ts';

/** Model ids come by role, never by name. */
export const MODEL_ROLES = [
  'chat',
  'completion',
  'suffix-completion',
  'assistant',
  'vision',
  'image-v2',
  'image-v3',
  'transcription',
  'speech',
  'moderation',
  'fine-tuning',
] as const;

/** The task that a scenario needs a model for; `--model ROLE=ID` names the model of the target. */
export type ModelRole = (typeof MODEL_ROLES)[number];

/** A role of assay, or one of an extension, whose name begins with that of the extension: `embeddings.model`. */
export type RoleName = ModelRole | ExtensionRole;
type ExtensionRole = `${string}.${string}`;

/** Model ids by role. */
export type RoleModels = Partial<Record<ModelRole, string>> & Record<ExtensionRole, string>;

/** The roles of the extensions in effect, each with the model that it has unless another is given. */
export function extensionModels(): Readonly<Record<ExtensionRole, string>> {
  return Object.assign({}, ...extensions().map(({ models }) => models));
}

/** Every role that a model can be given for. */
export function roleNames(): readonly RoleName[] {
  // as: an extension gives its roles names of this form
  return [...MODEL_ROLES, ...(Object.keys(extensionModels()) as ExtensionRole[])];
}

/** A part of a multipart body, in order. A file carries a filename and a content type. */
export type FormPart =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly file: Uint8Array; readonly filename: string; readonly type: string }
  | RepeatedPart;

/** A file too large for memory: one text again and again, cut off after so many bytes. */
export interface RepeatedPart {
  readonly name: string;
  readonly repeated: { readonly text: string; readonly bytes: number };
  readonly filename: string;
  readonly type: string;
}

/** The variable parts of one request; method and path template come from the operation. */
export interface CallInput {
  /** Values of the path parameters by name; encoded when sent. */
  readonly path?: Readonly<Record<string, string>>;
  /** Spells the path in the other way that the specification knows. */
  readonly otherPath?: boolean;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  /** A JSON body; a call has either this or `form`. */
  readonly body?: Json;
  readonly form?: readonly FormPart[];
  /**
   * Variant of the operation; decides the beta header. Default: the first one the row names. `none` sends no beta
   * header; a variant that the operation does not have sends the header of that form.
   */
  readonly variant?: 'v1' | 'v2' | 'none';
  /** Replace the fields of the same name that assay would set. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Leave out the key, or send a wrong one. */
  readonly auth?: 'absent' | 'wrong';
  /**
   * Label of a request that is sent to learn whether it is accepted or rejected; it becomes part of the
   * exchange.
   */
  readonly probe?: Omit<Probe, 'operation'>;
  /** Hang up after this many bytes of the answer. */
  readonly abortAfter?: number;
}

/** The result of a call for a scenario, for finding ids only: a scenario asserts nothing. */
export interface CallResult {
  /** The recorded exchange, with secrets replaced. */
  readonly exchange: Exchange;
  readonly ok: boolean;
  /** Null where no status line arrived. */
  readonly status: number | null;
  readonly json: Json | undefined;
  /** The string at a JSON pointer of the answer; throws ScenarioBlocked when the answer has none, so the scenario ends there. */
  text(pointer: string): string;
}

/** The operations of a scenario on its target. One per run of a scenario. */
export interface ScenarioContext {
  /**
   * Sends one request and resolves with any response, also an error or none. Rejects only where the run is
   * over.
   */
  call(operation: string, input?: CallInput): Promise<CallResult>;
  /** As call, and throws ScenarioBlocked unless the answer is 2xx: what follows needs it. */
  need(operation: string, input?: CallInput): Promise<CallResult>;
  /** Repeats a reading call with growing pauses until `settled` or the deadline; returns the last answer. */
  poll(operation: string, input: CallInput, settled: (json: Json) => boolean): Promise<CallResult>;
  /**
   * Gets an address that an answer gave, without the key, where it lies on the target's own host; null where it
   * does not. No other host gets a request.
   */
  download(url: string): Promise<Exchange | null>;
  /** Waits until what is made next has another time of creation than what was made before: those are whole seconds. */
  nextSecond(): Promise<void>;
  /** Model id of a role; throws ScenarioNotConfigured when the role has none. */
  model(role: RoleName): string;
  /** Short text unique to this run and scenario, for names, metadata and file names. */
  readonly tag: string;
  /** An id of the customary form that no object has. */
  unknownId(prefix: string): string;
}

/**
 * Declaration of a scenario; `selectScenarios` decides by it whether it runs, so it must name all costs,
 * roles and operations.
 */
export interface ScenarioPlan {
  /** `family.topic`, unique. */
  readonly name: string;
  /** The first word of the name unless given. */
  readonly family?: FamilyName;
  /** Operations that it exercises. */
  readonly operations: readonly string[];
  /** Cost classes that must be allowed for it to run; those of its operations unless given. */
  readonly cost?: readonly CostClass[];
  /** Roles of the models that it names; none unless given. */
  readonly roles?: readonly RoleName[];
  /** True when it shows nothing unless an API key is configured. */
  readonly key?: boolean;
  /** True when it lists what others make; so does every scenario of an operation that lists what an organisation has. */
  readonly lists?: boolean;
  /** True when it sends probes: what else it shows counts only where no other scenario shows it. */
  readonly probes?: boolean;
  readonly run: (context: ScenarioContext) => Promise<void>;
}

/** A scenario with nothing left to defaults, and what it is known to show. */
export interface Scenario extends ScenarioPlan {
  readonly family: FamilyName;
  readonly cost: readonly CostClass[];
  readonly roles: readonly RoleName[];
  /** Ids of the requirements and choices that it makes evidence for; null until `npm run generate:evidence` has run it. */
  readonly shows: ReadonlySet<string> | null;
}

/**
 * Registered in the global symbol table, so that suites which load another copy of this module are
 * recognised, too.
 */
const brand = Symbol.for('assay.scenario');

/** Declares a scenario; a suite file exports what this gives back. */
export function scenario(plan: ScenarioPlan): Scenario {
  const { name, operations } = plan;
  const [family = name] = name.split('.');
  const cost = plan.cost ?? costsOf(operations);
  return Object.freeze({ family, roles: [], ...plan, cost, shows: shownByScenario(name), [brand]: true });
}

/** The cost classes of operations; free only where all are. */
function costsOf(operations: readonly string[]): readonly CostClass[] {
  const costs = new Set(operations.map((id) => operation(id).cost));
  if (costs.size > 1) costs.delete('free');
  return [...costs];
}

/** True for what `scenario` made, also when another copy of this module made it. */
export function isScenario(value: unknown): value is Scenario {
  return typeof value === 'object' && value !== null && brand in value;
}

/** The rest of the scenario cannot run, because of an exchange. Ends the scenario; the trace notes it. */
export class ScenarioBlocked extends Error {
  override readonly name = 'ScenarioBlocked';
  /** Id of the exchange that blocked. */
  readonly by: string;
  readonly obstacle: Obstacle;

  constructor(by: string, obstacle: Obstacle) {
    super(`blocked by ${by}`);
    this.by = by;
    this.obstacle = obstacle;
  }
}

/** The rest of the scenario needs a model role or a key that the configuration does not contain. Ends the scenario. */
export class ScenarioNotConfigured extends Error {
  override readonly name = 'ScenarioNotConfigured';
  readonly missing: Missing;

  constructor(missing: Missing) {
    super('not configured');
    this.missing = missing;
  }
}

/** The state that a scenario waits for did not come in time; what it made stays, for a later run to go on. */
export class ScenarioWaiting extends Error {
  override readonly name = 'ScenarioWaiting';
  readonly wait: AwaitedState;

  constructor(wait: AwaitedState) {
    super('waiting');
    this.wait = wait;
  }
}

/** The run is over for everyone (budget, interrupt, dead target). Ends the scenario. */
export class RunStopped extends Error {
  override readonly name = 'RunStopped';
}
