export type FamilyName = OwnFamilyName | (string & {});

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

/** The most expensive effect of a request; a run sends only requests of the classes that its user allows. */
export type CostClass = 'free' | 'tokens' | 'images' | 'audio' | 'training' | 'batches' | 'bulk' | 'large';

/** A JSON Schema that is an object, not `true` or `false`. */
export type JsonSchema = { readonly [keyword: string]: unknown };

export interface Operation {
  /** The `operationId`: `createChatCompletion`. In an extension, it follows the name of the extension: `choir.sing`. */
  readonly id: string;
  /** Extensions cannot have operations with other methods. */
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Template with parameters in braces: `/v1/files/{file_id}`. */
  readonly path: string;
  /** The path as related operations spell it, if the specification spells it in two ways. */
  readonly otherPath: string | null;
  /** Part and section of the specification: `2 Files`. In an extension, the part is its name. */
  readonly spec: string;
  /** Default for extensions: `tokens` for POST, otherwise `free`. */
  readonly cost: CostClass;
  /** Path and query parameters; body fields are in the schema of the body of a variant. */
  readonly parameters: readonly Parameter[];
  /** Null if the operation does not list objects, and for extensions. */
  readonly list: ListTraits | null;
  /** One variant, or v1 and v2 if the specification has both; the first is the default. */
  readonly variants: readonly Variant[];
}

export interface Parameter {
  /** Name without braces: `file_id`. */
  readonly name: string;
  /** Parameters in headers and cookies are neither sent nor judged. */
  readonly in: 'path' | 'query';
  /** Default in `openapi.json`: false. */
  readonly required: boolean;
  /** JSON Schema of the value, with numbers as numbers: `{ type: 'integer', maximum: 100 }`. */
  readonly schema: JsonSchema;
}

export interface ListTraits {
  readonly scope: 'parent' | 'organization';
  readonly cursors: readonly ('after' | 'before')[];
  readonly order: boolean;
  /** Default of `limit`; null if the operation does not take it, or the specification states no default. */
  readonly defaultLimit: number | null;
  /** Maximum of `limit`; null if the specification states none. */
  readonly maxLimit: number | null;
  /** Filter parameters: `purpose`, `run_id`, `filter`. */
  readonly filters: readonly string[];
  /** How many elements a scenario can create; Infinity for no limit (null in the data). */
  readonly make: number;
}

export interface Variant {
  /** `only` if the operation has a single variant. */
  readonly name: 'v1' | 'v2' | 'only';
  readonly family: FamilyName;
  /** Value of the beta header, or null if the specification names none. */
  readonly beta: 'assistants=v1' | 'assistants=v2' | null;
  /** True for variants that coverage counts (68 built-in ones); false for shapes that are judged only if they occur. */
  readonly counted: boolean;
  /** Null if the request has no body. `schema`: name of its schema. */
  readonly body: {
    readonly carrier: 'json' | 'multipart';
    readonly schema: string;
    readonly required: boolean;
  } | null;
  /** Shapes of 2xx responses, one for each media type or condition. */
  readonly answers: readonly ResponseShape[];
}

export interface ResponseShape {
  /** Media type without parameters: `application/json`, `text/event-stream`, `audio/*`. */
  readonly contentType: string;
  /** Name of the schema of the whole body; null if there is none, as for raw content and streams. */
  readonly schema: string | null;
  /** For event streams: schema name by event name; `''` for data without an event name. */
  readonly events: Readonly<Record<string, string>> | null;
  /** Request fields for which the response has this shape: `{ response_format: ['verbose_json'] }`; null for all. */
  readonly when: Readonly<Record<string, readonly unknown[]>> | null;
}
