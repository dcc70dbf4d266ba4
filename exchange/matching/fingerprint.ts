import { hash } from 'node:crypto';
import { getOrMake } from '../../schemas/maps.ts';
import type { HttpRequest } from '../exchange.ts';
import { BETA_HEADERS, CREDENTIAL_HEADERS, SCOPE_HEADER } from './request-key.ts';

/**
 * A 64-bit hash of a request in its original spelling, as two 32-bit numbers. Equal fingerprints imply equal match
 * keys; requests with equal keys may have different fingerprints (white space, order of members).
 */
export type Fingerprint = readonly [high: number, low: number];

type Fields = readonly (readonly [name: string, value: string | null])[];
/** Which part of a header counts: its `value`, or only its `presence`. `scope`: the header names the scope. */
type Role = 'value' | 'presence' | 'scope';

/** Maximum size of each cache: most requests have equal heads. */
const MAX_CACHED = 1_000;
const HEADERS_MEMBER = ',"headers":';

export class Fingerprints {
  readonly #roles: ReadonlyMap<string, Role>;
  readonly #longestName: number;
  readonly #headHashes = new Map<string, Fingerprint>();
  readonly #headerTexts = new Map<string, string | null>();

  constructor(betaHeader: string) {
    const values = ['content-type', 'content-encoding', ...BETA_HEADERS, betaHeader.toLowerCase()];
    this.#roles = new Map<string, Role>([
      ...values.map((name) => [name, 'value'] as const),
      ...CREDENTIAL_HEADERS.map((name) => [name, 'presence'] as const),
      [SCOPE_HEADER, 'scope'],
    ]);
    this.#longestName = Math.max(...[...this.#roles.keys()].map(({ length }) => length));
  }

  /** Null if only the canonical form can be compared. */
  compute({ method, target, headers, body }: HttpRequest): Fingerprint | null {
    const fields = this.#headerText(headers);
    if (fields === null || !body.isKept) return null;
    const line = `"method":${JSON.stringify(method)},"target":${JSON.stringify(target)}`;
    const head = this.#hashHead(line, fields);
    return body.size === 0 ? head : fingerprintWithBody(head, digestHalves(hash('sha256', body.bytes ?? '')));
  }

  /** Like `compute`, but without the body, from the end of a request line: `"method":…,"target":…,"headers":[…]}`. */
  computeFromLine(text: string): Fingerprint | null {
    const at = text.lastIndexOf(HEADERS_MEMBER);
    if (at === -1) return null;
    const list = text.slice(at + HEADERS_MEMBER.length, -1);
    if (this.#headerTexts.size >= MAX_CACHED) this.#headerTexts.clear();
    const fields = getOrMake(this.#headerTexts, list, () => this.#parseHeaders(list));
    return fields === null ? null : this.#hashHead(text.slice(0, at), fields);
  }

  #parseHeaders(list: string): string | null {
    try {
      // as: values of another shape throw, or match no field name
      return this.#headerText(JSON.parse(list) as Fields);
    } catch {
      return null;
    }
  }

  #hashHead(line: string, fields: string): Fingerprint {
    const text = `${line}\n${fields}`;
    if (this.#headHashes.size >= MAX_CACHED) this.#headHashes.clear();
    return getOrMake(this.#headHashes, text, () => digestHalves(hash('sha256', text)));
  }

  /** The relevant headers as text; null for a missing or multiline value, or if there is a scope. */
  #headerText(headers: Fields): string | null {
    let text = '';
    for (const [name, value] of headers) {
      if (name.length > this.#longestName) continue;
      const lower = name.toLowerCase();
      const role = this.#roles.get(lower);
      if (role === undefined) continue;
      if (role === 'scope' || (role === 'value' && (value === null || value.includes('\n')))) return null;
      text += role === 'value' ? `${lower}:${value}\n` : `${lower}\n`;
    }
    return text;
  }
}

export function fingerprintWithBody(head: Fingerprint, digest: Fingerprint): Fingerprint {
  return [(head[0] ^ digest[0]) >>> 0, (head[1] ^ digest[1]) >>> 0];
}

export function digestHalves(hex: string): Fingerprint {
  return [Number.parseInt(hex.slice(0, 8), 16), Number.parseInt(hex.slice(8, 16), 16)];
}
