import { Readable } from 'node:stream';
import { generateLoad, type LoadOptions } from './load.ts';
import { startAssay, startPeer } from './process.ts';
import { compareWithPeer } from './rounds.ts';
import { absoluteRow, type Row } from './rows.ts';

const CHAT = JSON.stringify({
  model: 'chat-large',
  messages: [{ role: 'user', content: 'Count from 1 to 20' }],
  stream: true,
});
const JSON_TYPE = { 'content-type': 'application/json' };
const BETA = { 'vendor-beta': 'assistants=v2' };

export async function* rows(): AsyncGenerator<Row> {
  yield* peerRows();
  yield await measureUpload();
}

async function* peerRows(): AsyncGenerator<Row> {
  const service = await startAssay(['serve', '--seed', '1']);
  const origin = new URL(service.url).origin;
  const assistantId = await createAssistant(service.url);
  for (let n = 0; n < 19; n += 1) await createAssistant(service.url);
  const [retrieve, list, chat] = [`/v1/assistants/${assistantId}`, '/v1/assistants', '/v1/chat/completions'];
  const bare = await startPeer('bare-fastify', origin, retrieve, list, `POST:${chat}:${CHAT}`);
  const compare = (what: string, request: Omit<LoadOptions, 'url'> & { readonly path: string }) => {
    const rate = (base: string) => async () =>
      (await generateLoad({ ...request, url: `${base}${request.path}` })).perSecond;
    const contenders = { reference: rate(origin), 'bare fastify': rate(bare.url) };
    return compareWithPeer(what, 'req/s', contenders, { goal: '>= 0.5' });
  };
  yield await compare('retrieve', { path: retrieve, headers: BETA });
  yield await compare('list of 20', { path: list, headers: BETA });
  yield await compare('streamed chat', { path: chat, method: 'POST', body: CHAT, headers: JSON_TYPE });
  for (const server of [bare, service]) await server.stop();
}

async function createAssistant(url: string): Promise<string> {
  const answer = await fetch(`${url}/assistants`, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...BETA },
    body: JSON.stringify({ model: 'chat-large', name: 'bench', instructions: 'x'.repeat(1500) }),
  });
  const { id }: { readonly id: string } = await answer.json();
  return id;
}

async function measureUpload(): Promise<Row> {
  const service = await startAssay(['serve']);
  const answer = await fetch(`${service.url}/files`, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=bench' },
    body: Readable.toWeb(Readable.from(uploadPieces())) as ReadableStream, // as: Node's web streams have another type
    duplex: 'half',
  } as RequestInit); // as: `duplex` is not in the type, but fetch requires it for a stream
  if (!answer.ok) throw new Error(`The upload failed with HTTP ${answer.status}: ${await answer.text()}`);
  return absoluteRow('peak memory during a 512 MB upload', await service.stop(), 'MB', '<= 200');
}

function* uploadPieces(): Generator<Buffer> {
  yield Buffer.from('--bench\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nassistants\r\n');
  yield Buffer.from(
    '--bench\r\ncontent-disposition: form-data; name="file"; filename="large.txt"\r\ncontent-type: text/plain\r\n\r\n',
  );
  const piece = Buffer.alloc(1 << 20, 'assay ');
  for (let n = 0; n < 512; n += 1) yield piece;
  yield Buffer.from('\r\n--bench--\r\n');
}
