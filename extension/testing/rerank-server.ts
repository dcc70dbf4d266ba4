// A small service with POST /v1/rerank, which counts the words that a document shares with the query.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Ranked {
  readonly index: number;
  readonly relevance_score: number;
  readonly document?: { readonly text: string };
}

type Fault = (results: readonly Ranked[]) => readonly unknown[];

/** Ways to misbehave. */
export const RERANK_FAULTS = {
  unsorted: (results) => results.toSorted((a, b) => a.index - b.index),
  'counted-from-one': (results) => results.map((one) => ({ ...one, index: one.index + 1 })),
  'one-too-few': (results) => results.slice(0, -1),
  'text-as-score': (results) =>
    results.map((one) => ({ ...one, relevance_score: String(one.relevance_score) })),
  'other-text': (results) =>
    results.map((one, i) => ({ ...one, document: results[(i + 1) % results.length]?.document })),
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
    const isKnown = request.method === 'POST' && request.url === '/v1/rerank';
    const results = isKnown ? ranking(Buffer.concat(pieces).toString()) : null;
    const changed = results === null || fault === null ? results : RERANK_FAULTS[fault](results);
    const status = isKnown ? (results === null ? 400 : 200) : 404;
    const json =
      changed === null ? { error: { message: 'not a ranking' } } : { model: 'tiny', results: changed };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // as: it listens on a port
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The results of a valid request; null for an invalid one. */
function ranking(text: string): readonly Ranked[] | null {
  let body: { readonly [name: string]: unknown };
  try {
    body = JSON.parse(text) ?? {};
  } catch {
    return null;
  }
  const { model, query, documents, top_n: limit = null, return_documents: repeats } = body;
  if (typeof model !== 'string' || typeof query !== 'string' || !Array.isArray(documents)) return null;
  if (limit !== null && !Number.isInteger(limit)) return null;
  const words = new Set(query.toLowerCase().match(/\w+/g));
  const scored = documents.map((document, index): Ranked => {
    const own: readonly string[] = String(document).toLowerCase().match(/\w+/g) ?? [];
    const relevance = own.filter((word) => words.has(word)).length / (own.length + 1);
    const shown = repeats === true ? { document: { text: String(document) } } : {};
    return { index, relevance_score: relevance, ...shown };
  });
  return scored
    .toSorted((a, b) => b.relevance_score - a.relevance_score)
    .slice(0, Number(limit ?? documents.length));
}
