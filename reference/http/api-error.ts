export class ApiError extends Error {
  /** HTTP status; choices of the service may replace 400, 409, 422 and the 404 of an unknown id. */
  readonly status: number;
  /** Class of the error: `invalid_request_error` by default. */
  readonly type: string;
  /** Path of the field at fault (`messages[0].role`), or null. */
  readonly param: string | null;
  /** Machine-readable reason, such as `invalid_api_key`; null by default. */
  readonly code: string | null;
  /** Further response headers by name, such as `allow`; empty by default. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    detail: Partial<Pick<ApiError, 'type' | 'param' | 'code' | 'headers'>> = {},
  ) {
    super(message);
    this.status = status;
    this.type = detail.type ?? 'invalid_request_error';
    this.param = detail.param ?? null;
    this.code = detail.code ?? null;
    this.headers = detail.headers ?? {};
  }

  /** A 400; `param` is the path of the field at fault, null for the whole request. */
  static invalid(param: string | null, message: string, code: string | null = null): ApiError {
    return new ApiError(400, message, { param, code });
  }

  /** A 404 for an object that does not exist; `what` names its type in the singular. */
  static missing(what: string, id: string): ApiError {
    return new ApiError(404, `No ${what} found with id '${shorten(id)}'.`, { param: 'id' });
  }

  /** A 409 for a cancellation that is too early, too late or repeated; a 422 if the service refuses all of them. */
  static uncancellable(message: string, refusesAll = false): ApiError {
    return new ApiError(refusesAll ? 422 : 409, message);
  }

  envelope() {
    return { error: { message: this.message, type: this.type, param: this.param, code: this.code } };
  }
}

export function requireObject<T>(object: T | undefined, what: string, id = ''): T {
  if (object === undefined) throw ApiError.missing(what, id);
  return object;
}

/** Truncates text from the caller for an error message to at most 80 characters, without cutting a surrogate pair. */
export function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77).replace(/[\ud800-\udbff]$/, '')}...` : text;
}

/** Throws ApiError 400 for a value outside the bounds, which are inclusive; null and undefined are accepted. */
export function checkRange(name: string, value: number | null | undefined, min: number, max: number): void {
  if (value === null || value === undefined || (value >= min && value <= max)) return;
  throw ApiError.invalid(name, `'${name}' must be between ${min} and ${max}, but is ${value}.`);
}

/** Throws ApiError 400 if prompt and completion exceed the context, or the prompt alone fills it, in tokens. */
export function checkContext(field: string, prompt: number, answer: number, context: number): void {
  if (prompt + answer <= context && prompt < context) return;
  throw ApiError.invalid(
    field,
    `The context is limited to ${context} tokens, but '${field}' has ${prompt} and the completion may have ${answer}.`,
    'context_length_exceeded',
  );
}
