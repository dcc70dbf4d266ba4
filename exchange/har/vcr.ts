// Cassettes of VCR for Ruby (`http_interactions`) and Python (`interactions`): vcr lib/vcr/structs.rb; vcrpy
// vcr/serialize.py.
import { isObject } from '../../schemas/json.ts';
import { importOptionalPeer } from '../optional-peer.ts';
import { FormatError } from './format.ts';
import type { PlainEntry } from './plain-entry.ts';
import { headersOf, statusOf, UNTIMED } from './recorder-fields.ts';

interface VcrCassette {
  readonly key: 'http_interactions' | 'interactions';
  readonly interactions: readonly unknown[];
}

export function vcrCassette(value: unknown): VcrCassette | null {
  if (!isObject(value)) return null;
  for (const key of ['http_interactions', 'interactions'] as const) {
    const interactions = value[key];
    if (Array.isArray(interactions)) return { key, interactions };
  }
  return null;
}

export function looksLikeVcr(text: string): boolean {
  return /^(?:---\s*)?(?:\w+:[^\n]*\n|[^\S\n]*\n)*?(?:http_)?interactions:/.test(text.slice(0, 2000));
}

export async function readYaml(text: string): Promise<unknown> {
  const { parse } = await importOptionalPeer('yaml', 'Reading a VCR cassette', () => import('yaml'));
  const binary = { tag: '!binary', resolve: (value: string) => Buffer.from(value, 'base64') };
  try {
    // Both programs write YAML 1.1, in which binary text has a tag.
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

export function vcrEntries({ key, interactions }: VcrCassette): PlainEntry[] {
  return interactions.map((interaction, n) => {
    const { request, response } = isObject(interaction) ? interaction : {};
    const place = `${key}[${n}]`;
    if (!isObject(request) || !isObject(response))
      throw new FormatError(`${place} has no request or no response`);
    const { method, uri } = request;
    if (typeof method !== 'string' || typeof uri !== 'string')
      throw new FormatError(`${place}.request has no method or no uri`);
    // The stub of vcrpy for httpx, up to version 5, writes `status_code`, a number, and `content`.
    const status = statusOf(response['status'] ?? response['status_code']);
    if (status === null) throw new FormatError(`${place}.response.status has no code`);
    return {
      method: method.toUpperCase(),
      url: uri,
      headers: headersOf(request['headers']),
      requestBody: vcrBody(request['body']),
      response: {
        ...status,
        headers: headersOf(response['headers']),
        body: vcrBody(response['body'] ?? response['content']),
      },
      ...UNTIMED,
    };
  });
}

function vcrBody(value: unknown): Buffer {
  if (typeof value === 'string' || value instanceof Uint8Array) return Buffer.from(value);
  if (!isObject(value)) return Buffer.alloc(0);
  const { string, base64_string: base64 } = value;
  return typeof base64 === 'string' ? Buffer.from(base64, 'base64') : vcrBody(string);
}
