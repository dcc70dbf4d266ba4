import { closeSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Cassette, openCassette } from '../cassette/cassette.ts';
import { createNewFile, writeAll } from '../cassette/entries.ts';
import { FORMAT_VERSION } from '../cassette/lines.ts';
import { storedPart } from '../cassette/stored-body.ts';
import { makeDirectory } from '../directory.ts';
import type { Exchange, HttpRequest, HttpResponse } from '../exchange.ts';
import { contentCodings, decodedContent } from '../http/content.ts';
import { firstHeader } from '../http/headers.ts';
import { encodeBase64 } from './content.ts';
import { type HarContent, HarError, type HarExtension, type HarPostData, harHeaders } from './format.ts';

/**
 * Extension members keep facts that HAR has no member for, so that `importHar` restores the cassette. Rejects with
 * CassetteError if `dir` cannot be read, or with HarError if `file` is a folder, a pipe or a device.
 */
export async function exportHar(dir: string, file: string): Promise<{ exchanges: number }> {
  const existing = statSync(file, { throwIfNoEntry: false });
  if (existing?.isDirectory())
    throw new HarError(
      `${file} is a folder, and a HAR is a file. Name the file to write: ${join(file, 'session.har')}`,
    );
  // The rename below would replace it.
  if (existing?.isFile() === false)
    throw new HarError(`${file} is a pipe or a special file: name a regular file.`);
  const cassette = await openCassette(dir);
  const draft = `${file}.tmp`;
  try {
    makeDirectory(dirname(file));
    rmSync(draft, { force: true });
    const exchanges = writeHar(cassette, draft);
    renameSync(draft, file);
    return { exchanges };
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    cassette.close();
  }
}

function writeHar(cassette: Cassette, file: string): number {
  const fd = createNewFile(file);
  let size = 0;
  const write = (text: string) => {
    const bytes = Buffer.from(text);
    writeAll(fd, bytes, size);
    size += bytes.length;
  };
  try {
    const { header } = cassette;
    const notes = cassette.placedNotes();
    const head = { version: '1.2', creator: header.tool, _assay: { format: FORMAT_VERSION, header, notes } };
    write(`{"log":${JSON.stringify(head).slice(0, -1)},"entries":[`);
    for (let k = 0; k < cassette.size; k += 1)
      write(`${k === 0 ? '' : ','}\n${JSON.stringify(entryOf(cassette, k))}`);
    write('\n]}}\n');
    return cassette.size;
  } finally {
    closeSync(fd);
  }
}

function entryOf(cassette: Cassette, k: number): object {
  const exchange = cassette.exchange(k);
  const { request, response, end } = exchange;
  const firstByteAt = response?.pieces[0]?.at ?? end.at;
  return {
    startedDateTime: new Date(cassette.began(k)).toISOString(),
    time: end.at,
    request: {
      method: request.method,
      url: `${cassette.header.target.baseUrl.replace(/\/v1$/, '')}${request.target}`,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: harHeaders(request.headers),
      queryString: [...new URLSearchParams(request.target.split(/\?(.*)/s)[1] ?? '')].map(
        ([name, value]) => ({ name, value }),
      ),
      ...postDataOf(request),
      headersSize: -1,
      bodySize: request.body.size,
    },
    response: {
      status: response?.status ?? 0,
      statusText: response?.reason ?? '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: harHeaders(response?.headers ?? []),
      content: response === null ? { size: 0, mimeType: 'x-unknown' } : contentOf(response),
      redirectURL: firstHeader(response?.headers ?? [], 'location') ?? '',
      headersSize: -1,
      bodySize: response?.body.size ?? -1,
    },
    cache: {},
    timings: { send: 0, wait: firstByteAt, receive: Math.max(0, end.at - firstByteAt) },
    _assay: extensionOf(exchange),
  };
}

function extensionOf({ after, ended, scenario, probe, request, response, end }: Exchange): HarExtension {
  const { bytes, sha256, size, parts } = request.body;
  return {
    after,
    ended,
    scenario,
    probe,
    target: request.target,
    answered: response !== null,
    end,
    pieces: (response?.pieces ?? []).map(({ offset, at }) => [offset, at]),
    trailers: response?.trailers ?? [],
    ...(bytes === null && { digest: { sha256, size, parts: parts?.map(storedPart) ?? null } }),
  };
}

function postDataOf({ headers, body }: HttpRequest): { postData?: HarPostData } {
  const { bytes, text } = body;
  if (bytes === null || bytes.length === 0) return {};
  const mimeType = firstHeader(headers, 'content-type') ?? '';
  if (text !== null) return { postData: { mimeType, text } };
  return { postData: { mimeType, text: encodeBase64(bytes), _encoding: 'base64' } };
}

function contentOf(response: HttpResponse): HarContent {
  const plain = decodedContent(response) ?? response.body;
  const { bytes } = response.body;
  const isCoded = contentCodings(response.headers).length > 0 && response.body.size > 0 && bytes !== null;
  const mimeType = firstHeader(response.headers, 'content-type') ?? 'x-unknown';
  const head = { size: plain.size, mimeType, ...(isCoded && { _coded: encodeBase64(bytes) }) };
  // Without `text`, readers take the content as missing unless its size is 0.
  if (plain.size === 0 || plain.bytes === null) return head;
  if (plain.text !== null) return { ...head, text: plain.text };
  return { ...head, text: encodeBase64(plain.bytes), encoding: 'base64' };
}
