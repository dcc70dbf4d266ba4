// A small service with POST /v1/rerank: the more of a document's words the query contains, the higher its score.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isObject, tryParseJson } from '../../schemas/json.ts';

interface RankedDocument {
  readonly index: number;
  readonly relevance_score: number;
  readonly document?: { readonly text: string };
}

type Fault = (results: readonly RankedDocument[]) => readonly unknown[];

export const RERANK_FAULTS = {
  unsorted: (results) => results.toSorted((a, b) => a.index - b.index),
  'counted-from-one': (results) => results.map((result) => ({ ...result, index: result.index + 1 })),
  'one-too-few': (results) => results.slice(0, -1),
  'text-as-score': (results) =>
    results.map((result) => ({ ...result, relevance_score: String(result.relevance_score) })),
  'other-text': (results) =>
    results.map((result, i) => ({ ...result, document: results[(i + 1) % results.length]?.document })),
} satisfies Readonly<Record<string, Fault>>;

export interface RerankServer {
  readonly url: string;
  close(): Promise<void>;
}

export async function startRerankServer(
  fault: keyof typeof RERANK_FAULTS | null = null,
): Promise<RerankServer> {
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const send = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const isKnown = request.method === 'POST' && request.url === '/v1/rerank';
    const ranking = isKnown ? rank(Buffer.concat(pieces).toString()) : null;
    if (ranking === null) return send(isKnown ? 400 : 404, { error: { message: 'not a valid request' } });
    return send(200, { model: 'tiny', results: fault === null ? ranking : RERANK_FAULTS[fault](ranking) });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // as: it listens on a port
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function rank(text: string): readonly RankedDocument[] | null {
  const body: unknown = tryParseJson(text);
  if (!isObject(body)) return null;
  const { model, query, documents, top_n: limit = null, return_documents: returnsDocuments } = body;
  if (typeof model !== 'string' || typeof query !== 'string' || !Array.isArray(documents)) return null;
  if (limit !== null && !Number.isInteger(limit)) return null;
  const words = new Set(query.toLowerCase().match(/\w+/g));
  const scored = documents.map((document, index): RankedDocument => {
    const documentWords: readonly string[] = String(document).toLowerCase().match(/\w+/g) ?? [];
    const shared = documentWords.filter((word) => words.has(word)).length;
    const relevance_score = shared / (documentWords.length + 1);
    if (returnsDocuments !== true) return { index, relevance_score };
    return { index, relevance_score, document: { text: String(document) } };
  });
  return scored
    .toSorted((a, b) => b.relevance_score - a.relevance_score)
    .slice(0, Number(limit ?? documents.length));
}
