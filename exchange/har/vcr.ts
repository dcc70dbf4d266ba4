// Cassettes of VCR for Ruby (`http_interactions`) and Python (`interactions`), as YAML or JSON. Sources: vcr/vcr
// lib/vcr/structs.rb; kevin1024/vcrpy vcr/serialize.py.

import { isObject } from '../../schemas/json.ts';
import type { HeaderPairs } from '../exchange.ts';
import { optionalPeer } from '../optional-peer.ts';
import { FormatError, type PlainEntry } from './plain-entry.ts';

interface VcrCassette {
  readonly key: 'http_interactions' | 'interactions';
  readonly interactions: readonly unknown[];
}

/** Null if the document is not a cassette. */
export function vcrCassette(value: unknown): VcrCassette | null {
  if (!isObject(value)) return null;
  for (const key of ['http_interactions', 'interactions'] as const) {
    const interactions = value[key];
    if (Array.isArray(interactions)) return { key, interactions };
  }
  return null;
}

export function looksLikeVcr(text: string): boolean {
  return /^(?:---\s*)?(?:\w+:.*\n|\s*\n)*?(?:http_)?interactions:/.test(text.slice(0, 2000));
}

/** Rejects with MissingPeer if the package `yaml` is not installed, and with FormatError. */
export async function readYaml(text: string): Promise<unknown> {
  const { parse } = await optionalPeer('yaml', 'Reading a VCR cassette', () => import('yaml'));
  const binary = { tag: '!binary', resolve: (value: string) => Buffer.from(value, 'base64') };
  try {
    // Both programs write YAML 1.1, with binary text as a list of bytes. Warnings of the parser are about its own defaults.
    return parse(text, {
      schema: 'yaml-1.1',
      customTags: (tags) => [...tags, binary],
      uniqueKeys: false,
      logLevel: 'error',
    });
  } catch (error) {
    throw new FormatError(`is not valid YAML: ${error instanceof Error ? error.message.split('\n')[0] : ''}`);
  }
}

/** Neither program records when a request began, so the order is unknown. Throws FormatError. */
export function vcrEntries({ key, interactions }: VcrCassette): PlainEntry[] {
  return interactions.map((interaction, n) => {
    const { request, response } = isObject(interaction) ? interaction : {};
    const place = `${key}[${n}]`;
    if (!isObject(request) || !isObject(response))
      throw new FormatError(`${place} has no request or no response`);
    const { method, uri } = request;
    if (typeof method !== 'string' || typeof uri !== 'string')
      throw new FormatError(`${place}.request has no method or no uri`);
    return {
      method: method.toUpperCase(),
      url: uri,
      headers: headersOf(request['headers']),
      sent: bodyOf(request['body']),
      response: {
        ...statusOf(response['status'] ?? response['status_code'], place),
        headers: headersOf(response['headers']),
        // The stub of vcrpy for httpx, up to version 5, writes `status_code` and `content`.
        body: bodyOf(response['body'] ?? response['content']),
      },
      error: null,
      times: null,
    };
  });
}

/** An object; a number in cassettes of older versions of vcrpy. */
function statusOf(status: unknown, place: string): { readonly status: number; readonly reason: string } {
  const { code, message } = isObject(status) ? status : { code: status, message: '' };
  if (typeof code !== 'number') throw new FormatError(`${place}.response.status has no code`);
  return { status: code, reason: typeof message === 'string' ? message : '' };
}

function headersOf(value: unknown): HeaderPairs {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, given]) =>
    [given]
      .flat()
      .map((one) => [name, one instanceof Uint8Array ? Buffer.from(one).toString() : String(one)] as const),
  );
}

function bodyOf(value: unknown): Buffer {
  if (typeof value === 'string') return Buffer.from(value);
  if (value instanceof Uint8Array) return Buffer.from(value);
  if (!isObject(value)) return Buffer.alloc(0);
  const { string, base64_string: coded } = value;
  return typeof coded === 'string' ? Buffer.from(coded, 'base64') : bodyOf(string);
}
