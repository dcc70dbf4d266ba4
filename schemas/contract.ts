// The types of the contract: what the other rooms know of the data.

/** Families of operations, as claims and filters name them; an extension is a family of its own. */
export type FamilyName = OwnFamilyName | (string & {});

/** The families that come with assay. */
type OwnFamilyName =
  | 'assistants-v1'
  | 'assistants-v2'
  | 'assistant-files'
  | 'threads'
  | 'messages'
  | 'message-files'
  | 'runs'
  | 'run-steps'
  | 'vector-stores'
  | 'vector-store-files'
  | 'vector-store-file-batches'
  | 'chat'
  | 'completions'
  | 'models'
  | 'images'
  | 'audio'
  | 'moderations'
  | 'files'
  | 'fine-tuning'
  | 'batches';

/** The most expensive effect of a request; a run sends only classes that its user allows. */
export type CostClass = 'free' | 'tokens' | 'images' | 'audio' | 'training' | 'batches' | 'bulk' | 'large';

/** A schema file as it lies on disk. `true` and `false` do not occur as whole files. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** One operation of the specification: a row of `openapi.json`. */
export interface Operation {
  /** `createChatCompletion`. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `/v1/files/{file_id}`. */
  readonly path: string;
  /** Where the specification spells the path of related operations in another way, too: this one's in that way. */
  readonly otherPath: string | null;
  readonly spec: string;
  readonly cost: CostClass;
  readonly parameters: readonly Parameter[];
  readonly list: ListTraits | null;
  /** One, or v1 and v2 where the specification has both; the first is the default. */
  readonly variants: readonly Variant[];
}

/** A path or query parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly schema: JsonSchema;
}

/** How an operation lists. */
export interface ListTraits {
  /** Whether the list belongs to a parent object or to the organisation. */
  readonly scope: 'parent' | 'organisation';
  /** Cursor parameters it takes. */
  readonly cursors: readonly ('after' | 'before')[];
  readonly order: boolean;
  /** Default of `limit`, or null when it takes none or states none. */
  readonly defaultLimit: number | null;
  /** Greatest value of `limit`; null where the specification states none. */
  readonly maxLimit: number | null;
  /** Filter parameters: `purpose`, `run_id`, `filter`. */
  readonly filters: readonly string[];
  /** How many elements a scenario can make; Infinity where nothing limits it (null in the data). */
  readonly make: number;
}

/** One form of an operation: legacy (`v1`), beta (`v2`), or the only one. */
export interface Variant {
  readonly name: 'v1' | 'v2' | 'only';
  readonly family: FamilyName;
  /** Value of the beta header, or null where the specification names none. */
  readonly beta: 'assistants=v1' | 'assistants=v2' | null;
  /** True for the 68 variants that coverage counts; false for shapes that are judged only when met. */
  readonly counted: boolean;
  readonly body: {
    readonly carrier: 'json' | 'multipart';
    readonly schema: string;
    readonly required: boolean;
  } | null;
  readonly answers: readonly ResponseShape[];
}

/** A success body: which media type carries which schema, under which request. */
export interface ResponseShape {
  readonly contentType: string;
  /** Name of the schema of the whole body; null for raw content and for streams. */
  readonly schema: string | null;
  /** For event streams: schema name by event name; `''` is data without an event name. */
  readonly events: Readonly<Record<string, string>> | null;
  /** Request field values under which the answer must have this shape: `{ response_format: ['verbose_json'] }`; null when always. */
  readonly when: Readonly<Record<string, readonly unknown[]>> | null;
}
