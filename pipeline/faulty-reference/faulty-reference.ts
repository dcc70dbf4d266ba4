import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Exchange } from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';
import { headerPairs } from '../../exchange/http/headers.ts';
import { readMessage, sendRequest } from '../../proxy/http/send-request.ts';
import { listen } from '../../proxy/http/server.ts';
import { parseUpstream, type Upstream } from '../../proxy/http/upstream.ts';
import type { Fault } from '../../reference/deviations/deviation.ts';
import { findFault } from '../../reference/faults/known.ts';
import { type Reference, type ReferenceOptions, serveReference } from '../../reference/service.ts';
import { matchOperation } from '../../schemas/index.ts';
import type { LiveFault } from './live-fault.ts';

/** Maximum number of earlier calls that a fault may use. */
export const MAX_EARLIER_CALLS = 200;

/** Header fields that apply to one connection, and so are not passed on. */
const FRAMING_HEADERS = new Set(['transfer-encoding', 'connection', 'keep-alive']);

export interface NamedFaults {
  /** Faults that the reference itself injects. */
  readonly referenceFaults: readonly Fault[];
  /** Faults that change its responses on their way to the client. */
  readonly responseFaults: readonly LiveFault[];
}

/** Rejects with UnknownFault if a fault does not exist. */
export async function readFaults(ids: string, betaHeader = 'Vendor-Beta'): Promise<NamedFaults> {
  const idList = splitFaults(ids);
  const referenceFaults = idList.flatMap((id) => findFault(id) ?? []);
  const others = idList.filter((id) => !referenceFaults.some((fault) => fault.id === id));
  if (others.length === 0) return { referenceFaults, responseFaults: [] };
  const [{ readLiveFault }, { catalogue }] = await Promise.all([
    import('./live-fault.ts'),
    import('../../suites/index.ts'),
  ]);
  const fullCatalogue = await catalogue();
  return {
    referenceFaults,
    responseFaults: others.map((id) => readLiveFault(id, fullCatalogue, betaHeader)),
  };
}

/** Splits at commas, except those in the name of a change, such as `failed, too`, where no id follows the comma. */
function splitFaults(ids: string): readonly string[] {
  const list: string[] = [];
  for (const part of ids.split(',')) {
    const last = list.at(-1);
    const isRestOfName =
      last?.includes('/') === true && /^ [^.:]*$/.test(part) && findFault(part.trim()) === undefined;
    if (isRestOfName) list.splice(-1, 1, `${last},${part.trimEnd()}`);
    else list.push(part.trim());
  }
  return list;
}

/**
 * Starts the reference service. `fault` may also name a requirement, or one of its changes, or a generic fault such
 * as `refuse:createRun`: a server in front of the reference then changes its responses. Rejects with the system's error
 * if the port is in use or the directory cannot be written, and with UnknownFault if a fault does not exist.
 */
export async function startReference(options: ReferenceOptions = {}): Promise<Reference> {
  if (options.fault === undefined) return serveReference(options);
  const { referenceFaults, responseFaults } = await readFaults(options.fault, options.betaHeader);
  if (responseFaults.length === 0) return serveReference(options);
  const fault = referenceFaults.length === 0 ? undefined : referenceFaults.map(({ id }) => id).join(',');
  const reference = await serveReference({ ...options, fault, port: 0 });
  try {
    return await startChangingServer(reference, responseFaults, options);
  } catch (error) {
    await reference.close();
    throw error;
  }
}

async function startChangingServer(
  reference: Reference,
  faults: readonly LiveFault[],
  { host = '127.0.0.1', port = 0 }: ReferenceOptions,
): Promise<Reference> {
  const session = new FaultySession(parseUpstream(reference.url), faults);
  const server = createServer(
    { requestTimeout: 0, keepAliveTimeout: 72_000 },
    (req, res) => void session.answer(req, res),
  );
  const { address: endpoint, close } = await listen(server, { host, port });
  const hostname = endpoint.family === 'IPv6' ? `[${endpoint.address}]` : endpoint.address;
  return {
    url: `http://${hostname}:${endpoint.port}/v1`,
    close: async () => {
      await close();
      await reference.close();
    },
  };
}

class FaultySession {
  readonly #reference: Upstream;
  readonly #faults: readonly { readonly fault: LiveFault; readonly before: Exchange[] }[];
  #begunCount = 0;
  #endedCount = 0;

  constructor(reference: Upstream, faults: readonly LiveFault[]) {
    this.#reference = reference;
    this.#faults = faults.map((fault) => ({ fault, before: [] }));
  }

  async answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      this.#begunCount += 1;
      const id = `e${this.#begunCount}`;
      const after = this.#endedCount;
      const { method = 'GET', url: target = '/' } = req;
      const head = { method, target, headers: headerPairs(req.rawHeaders) };
      const body = await readMessage(req);
      const original = await sendRequest(this.#reference, { ...head, body }, 0);
      this.#endedCount += 1;
      const { response } = this.#applyFaults({
        id,
        after,
        ended: this.#endedCount,
        scenario: null,
        probe: null,
        request: { ...head, body: Body.from(body) },
        response: original,
        end: { how: 'complete', detail: null, at: 0 },
      });
      if (response === null) {
        res.destroy();
        return;
      }
      const headers = response.headers.filter(([name]) => !FRAMING_HEADERS.has(name.toLowerCase()));
      res.writeHead(response.status, headers.flat());
      res.end(response.body.bytes ?? undefined);
    } catch {
      res.destroy();
    }
  }

  #applyFaults(exchange: Exchange): Exchange {
    const { method, target } = exchange.request;
    const operation = matchOperation(method, target.split('?')[0] ?? '')?.operation.id;
    let changed = exchange;
    for (const { fault, before } of this.#faults) {
      if (operation === undefined || !fault.operations.has(operation)) continue;
      changed = fault.change(changed, before);
      before.push(exchange);
      if (before.length > MAX_EARLIER_CALLS) before.shift();
    }
    return changed;
  }
}
