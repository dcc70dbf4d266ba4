import type { Exchange } from '../../exchange/exchange.ts';
import { Body, type FormDataPart } from '../../exchange/http/body.ts';
import type { Requirement, ShownViolation } from '../../judge/requirements/catalogue.ts';
import type { Violation } from '../../judge/requirements/requirement.ts';
import { placeKey } from '../observation/observed-finding.ts';

/** Maximum number of violations sent while the traffic is judged; the report counts all of them. */
const MAX_SENT = 1_000;
/** With more exchanges as evidence, only the one of the violation is shown. */
const MAX_EXCHANGES = 2;

export interface FoundViolation extends Omit<ShownViolation, 'evidence'> {
  /** The exchanges to show; empty if only one line is printed. */
  readonly evidence: readonly WithBodies<PortableBody>[];
}

/** A body in a form that structured clone can copy. */
interface PortableBody {
  /** Null if only the digest was kept. */
  readonly bytes: Uint8Array | null;
  readonly sha256: string;
  readonly size: number;
  readonly parts: readonly (Omit<FormDataPart, 'body'> & { readonly body: PortableBody })[] | null;
}

type WithBodies<B> = Omit<Exchange, 'request' | 'response'> & {
  readonly request: Omit<Exchange['request'], 'body'> & { readonly body: B };
  readonly response: (Omit<NonNullable<Exchange['response']>, 'body'> & { readonly body: B }) | null;
};

function mapBodies<A, B>(exchange: WithBodies<A>, change: (body: A) => B): WithBodies<B> {
  const { request, response } = exchange;
  return {
    ...exchange,
    request: { ...request, body: change(request.body) },
    response: response && { ...response, body: change(response.body) },
  };
}

/** Selects the first violation of each requirement and place. */
export class ViolationFilter {
  readonly #length: 'full' | 'line';
  readonly #places = new Set<string>();

  constructor(length: 'full' | 'line') {
    this.#length = length;
  }

  /** The violation as it is sent; null for a repeated one, and once the maximum is reached. */
  select(
    violation: Violation,
    requirement: Requirement,
    evidence: readonly Exchange[],
  ): FoundViolation | null {
    const place = placeKey(requirement.id, violation.at);
    if (this.#places.size >= MAX_SENT || this.#places.has(place)) return null;
    this.#places.add(place);
    // A check may name the exchange; otherwise it is the last exchange of the evidence, which completed it.
    const exchange = violation.exchange ?? evidence.at(-1)?.id ?? null;
    const shownExchanges =
      evidence.length <= MAX_EXCHANGES ? evidence : evidence.filter(({ id }) => id === exchange);
    return {
      requirement,
      violation,
      exchange,
      evidence: this.#length === 'full' ? shownExchanges.map((one) => mapBodies(one, packBody)) : [],
    };
  }
}

function packBody(body: Body): PortableBody {
  const { sha256, size, parts } = body;
  return {
    // Copied, because cloning a view would clone its whole buffer; `slice` of a Buffer returns a view.
    bytes: body.bytes && new Uint8Array(body.bytes),
    sha256,
    size,
    parts: parts?.map((part) => ({ ...part, body: packBody(part.body) })) ?? null,
  };
}

export function unpackExchange(exchange: WithBodies<PortableBody>): Exchange {
  return mapBodies(exchange, unpackBody);
}

function unpackBody({ bytes, sha256, size, parts }: PortableBody): Body {
  if (bytes !== null) return Body.from(bytes);
  return Body.digest(sha256, size, parts?.map((part) => ({ ...part, body: unpackBody(part.body) })) ?? null);
}
