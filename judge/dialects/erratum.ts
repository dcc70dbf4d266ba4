// The content of a dialect file; `dialect.schema.json` describes it for people who write one.
import type { JsonSchema } from '../../schemas/index.ts';

/** One known deviation of such services, and the reason for which it is not reported as a failure. */
export interface Erratum {
  readonly id: string;
  readonly reason: string;
}

/** Which violations an erratum excuses. Each condition that is there has to hold. */
export interface Excuse {
  /** Ids of requirements, or of causes for which they fail, with `*`. */
  readonly requirements: readonly string[];
  /** Schema of the actual value; any value if absent. */
  readonly found?: JsonSchema | boolean;
  /** Set if a missing value is excused, too. */
  readonly absent?: true;
  /** Only in responses of this form; in both if absent. */
  readonly in?: 'json' | 'stream';
  /** Only in responses of these operations. */
  readonly operations?: readonly string[];
  /** Regular expression for the place of the violation. */
  readonly at?: string;
  /** The actual number differs from the expected one by at most so much. */
  readonly differsBy?: number;
  /** The answer has the value of the request at the same place, written as text. */
  readonly keptAsText?: true;
  /** The object in the answer has every other member of that in the request, with the same value. */
  readonly besides?: readonly string[];
  /** JSON pointer to an object of the request that the answer repeats there. */
  readonly keeps?: string;
  /** The object in the answer shows `member` of that in the request as `as`, in units of `per`, unless the request has `as`. */
  readonly restated?: { readonly member: string; readonly as: string; readonly per: number };
  /** The innermost object that says when it was created was created before this day. */
  readonly before?: string;
  /** Schema of the fields of the request. */
  readonly asked?: JsonSchema;
  /** Schema of the whole JSON body, or of the data of the event. */
  readonly answer?: JsonSchema;
  /** Schema of the object that the wrong or absent value belongs to. */
  readonly within?: JsonSchema;
}

/** Requests for what the specification does not know, and what cannot be judged then. */
export interface ModeEntry {
  readonly operations: readonly string[];
  /** Schema of the fields of such requests; a file stands as its name. */
  readonly asked: JsonSchema;
  /** `answer`: neither its form nor its content; `echoes`: what it repeats of the request. */
  readonly unknown: 'answer' | 'echoes';
  /** Regular expressions for places of the request that such a request may leave out though they are required. */
  readonly omits?: readonly string[];
}

/** Valid requests that such services refuse, and the refusal that is excused. */
export interface RefusalEntry {
  readonly operations: readonly string[];
  /** Schema of the fields of such requests; any without it. */
  readonly asked?: JsonSchema;
  readonly statuses: readonly number[];
  /** Regular expression for the message of the error. Where it is given, an error without a parameter names all `fields`. */
  readonly says?: string;
  /** Fields of the request with the schema of the values that are refused. The error has to name one that was sent so. */
  readonly fields: Readonly<Record<string, JsonSchema | boolean>>;
}

/** Parts of requests in which a dialect permits values that the specification does not list. */
export type Vocabulary = 'enum' | 'const' | 'shapes' | 'fields';

/** The side that a request is evidence about: the target that accepted it, or the client that sent it. */
export type VocabularySide = 'server' | 'client';

/** The content of a dialect file. */
export interface DialectFile {
  readonly name: string;
  readonly betaHeader?: string;
  readonly open?: readonly Vocabulary[];
  readonly errata: readonly (Erratum & {
    /** Path of the specification → path of such services. */
    readonly paths?: Readonly<Record<string, string>>;
    readonly excuses?: readonly Excuse[];
    readonly modes?: readonly ModeEntry[];
    readonly refusals?: readonly RefusalEntry[];
  })[];
}

/** A request for what the specification does not know. */
export interface UnknownMode {
  readonly erratum: Erratum;
  readonly unknown: ModeEntry['unknown'];
  /** Required places that the request may leave out for it, or for another mode that is asked for as well. */
  readonly omits: readonly RegExp[];
}
