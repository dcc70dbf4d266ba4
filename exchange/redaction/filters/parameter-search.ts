import { NO_MATCH, PARTIAL_MATCH, type Tail } from '../patterns/pattern.ts';
import {
  beginningOfParameter,
  maskParameter,
  restOfParameter,
  secretEnd,
  type UrlParameter,
  urlParameters,
} from '../patterns/url-parameter.ts';
import { type Found, NOTHING_FOUND, type PlacedSearch, perhapsAt } from './found.ts';

/** Finds the secrets in parameters of URLs, one after the other, in bytes in which other secrets are replaced meanwhile. */
export class ParameterSearch implements PlacedSearch {
  readonly #input: Uint8Array;
  readonly #parameters: readonly UrlParameter[];
  readonly #tail: Tail;
  /** Where the bytes end in what may be the beginning of a parameter; -1 where they do not. */
  readonly #beginning: number;
  /** Index of the parameter that is looked at. */
  #index = 0;
  /** Where the value ends that was found last; 0 where none was. */
  #end = 0;

  /** A search in these bytes; null where there is nothing to find. */
  static in(bytes: Uint8Array, tail: Tail): ParameterSearch | null {
    const parameters = urlParameters(bytes);
    const beginning = tail === 'open' ? beginningOfParameter(bytes) : -1;
    if (parameters.length === 0 && beginning === -1) return null;
    return new ParameterSearch({ input: bytes, parameters, tail, beginning });
  }

  private constructor(fields: {
    readonly input: Uint8Array;
    readonly parameters: readonly UrlParameter[];
    readonly tail: Tail;
    readonly beginning: number;
  }) {
    this.#input = fields.input;
    this.#parameters = fields.parameters;
    this.#tail = fields.tail;
    this.#beginning = fields.beginning;
  }

  /** The next one in these bytes, which may have been changed since the last call. */
  next(bytes: Uint8Array, from: number): Found {
    if (this.#end > 0 && this.#end <= from) this.#index += 1;
    this.#end = 0;
    for (; this.#index < this.#parameters.length; this.#index += 1) {
      const parameter = this.#parameters[this.#index];
      if (parameter === undefined || this.#isCovered(bytes, parameter)) continue;
      const after = this.#parameters[this.#index + 1];
      const next = after === undefined || this.#isCovered(bytes, after) ? undefined : after;
      const end = secretEnd(bytes, { parameter, next, tail: this.#tail });
      if (end === PARTIAL_MATCH) return perhapsAt(parameter.lead);
      if (end === NO_MATCH) continue;
      this.#end = end;
      const pattern = {
        replace: (written: Uint8Array) => maskParameter(written, parameter),
        rest: (written: Uint8Array) => restOfParameter(written, parameter),
      };
      return { at: parameter.from, start: parameter.from, end, pattern };
    }
    return this.#beginning === -1 ? NOTHING_FOUND : perhapsAt(this.#beginning);
  }

  /** Whether a secret that was replaced covers the name of a parameter. */
  #isCovered(bytes: Uint8Array, { lead }: UrlParameter): boolean {
    return bytes[lead] !== this.#input[lead];
  }
}
