import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Recording } from '../exchange/cassette/recording.ts';
import { type CassetteWriter, createCassette } from '../exchange/cassette/write.ts';
import type { HeaderPairs } from '../exchange/exchange.ts';
import { Redactor, type RedactorOptions } from '../exchange/redact.ts';
import type { Remark, TraceHeader, TraceItem } from '../exchange/trace.ts';
import { Forwarder } from './forward.ts';
import { recordingHeader } from './header.ts';
import { hangUp, listen, targetOf } from './listening.ts';
import type { Listener } from './passage.ts';
import { refuse } from './refuse.ts';
import { upstreamOf } from './upstream.ts';

export interface RecordOptions {
  /** The service, with or without `/v1`. */
  readonly baseUrl: string;
  /** Folder of the cassette. One that is there stays until the new one is complete, and is then replaced. */
  readonly cassette: string;
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** Key that is sent to the service in place of the client's. It is kept out of the cassette like any other. */
  readonly key?: string | null;
  readonly redaction?: RedactorOptions;
  /** When the cassette cannot be written: refuse the traffic (default), or let it pass unrecorded. */
  readonly onError?: 'refuse' | 'pass';
  /** Seconds of silence after which the service is given up; 0, the default, for never. */
  readonly timeout?: number;
  /** Further facts for the header of the cassette. */
  readonly header?: Partial<TraceHeader>;
  /** Gets every exchange, as it is stored, when it has ended, and every note. */
  readonly onItem?: (item: TraceItem) => void;
}

export interface RecordReport {
  readonly exchanges: number;
  /** Exchanges that passed without being recorded (`onError: 'pass'`). */
  readonly unrecorded: number;
}

export interface Recorder {
  /** Where clients connect, with `/v1`. */
  readonly url: string;
  /** Stops, and finishes the cassette. What is still under way is kept as far as it came. */
  close(): Promise<RecordReport>;
}

/**
 * Starts a proxy that records what passes. Rejects with CassetteError when the cassette cannot be written or is in use,
 * with TypeError when the base URL is none, and with the system's error when the port is taken.
 */
export async function record(options: RecordOptions): Promise<Recorder> {
  const upstream = upstreamOf(options.baseUrl);
  const { key = null, redaction = {} } = options;
  const secrets = [...(key === null ? [] : [key]), ...(redaction.secrets ?? [])];
  const cassette = createCassette(
    options.cassette,
    recordingHeader(options.baseUrl, key !== null, options.header),
    {
      redactor: new Redactor({ ...redaction, secrets }),
      mode: 'replace',
      collect: options.onItem !== undefined,
    },
  );
  const forwarder = new Forwarder({
    upstream,
    auth: key === null ? null : `Bearer ${key}`,
    timeout: (options.timeout ?? 0) * 1000,
  });
  const desk = new Desk(cassette, forwarder, options);
  try {
    const { server, url } = await listen(options.port ?? 0, desk);
    return {
      url,
      close: async () => {
        const report = await desk.close();
        await hangUp(server);
        forwarder.close();
        return report;
      },
    };
  } catch (error) {
    forwarder.close();
    cassette.finish();
    throw error;
  }
}

/** Takes requests in, and opens a recording for each. */
class Desk {
  readonly #cassette: CassetteWriter;
  readonly #forwarder: Forwarder;
  readonly #options: RecordOptions;
  readonly #ending = new Set<Promise<unknown>>();
  #unrecorded = 0;
  #open = true;

  constructor(cassette: CassetteWriter, forwarder: Forwarder, options: RecordOptions) {
    this.#cassette = cassette;
    this.#forwarder = forwarder;
    this.#options = options;
  }

  request(req: IncomingMessage, res: ServerResponse, expects: boolean): void {
    const target = targetOf(req);
    if (target === null) {
      refuse(res, 400, 'bad_target', `${req.url} is no path. Send requests for paths that begin with /v1.`);
      return;
    }
    req.url = target;
    try {
      const headers = this.#forwarder.headers(req);
      this.#forwarder.forward(req, res, headers, this.#listener(req, target, headers), expects);
    } catch (error) {
      refuse(res, 500, 'not_recorded', error instanceof Error ? error.message : String(error));
    }
  }

  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    const path = targetOf(req)?.split('?')[0] ?? '/';
    this.#note({ note: 'remark', message: `An upgraded connection to ${path} passed unrecorded.` });
    this.#forwarder.upgrade(req, socket, head);
  }

  async close(): Promise<RecordReport> {
    this.#open = false;
    await Promise.allSettled(this.#ending);
    const exchanges = this.#cassette.exchanges;
    this.#cassette.finish();
    return { exchanges, unrecorded: this.#unrecorded };
  }

  #note(remark: Remark): void {
    const note = this.#cassette.note(remark);
    this.#options.onItem?.(note);
  }

  #listener(req: IncomingMessage, target: string, headers: HeaderPairs): Listener {
    const begin = () => this.#cassette.begin({ method: req.method ?? 'GET', target, headers });
    if (this.#options.onError !== 'pass') return this.#recorded(begin());
    try {
      return tolerant(this.#recorded(begin()), () => (this.#unrecorded += 1));
    } catch {
      this.#unrecorded += 1;
      return DEAF;
    }
  }

  #recorded(recording: Recording): Listener {
    return {
      requestBody: (bytes) => this.#open && recording.requestBody(bytes),
      // A failure comes up again when the exchange ends.
      requestEnd: () => this.#open && void recording.requestEnd().catch(() => {}),
      response: (head) => this.#open && recording.response(head),
      piece: (bytes) => this.#open && recording.piece(bytes),
      end: async (end) => {
        if (!this.#open) return;
        const ending = recording.end(end);
        this.#ending.add(ending);
        try {
          const exchange = await ending;
          if (exchange !== null) this.#options.onItem?.(exchange);
        } finally {
          this.#ending.delete(ending);
        }
      },
    };
  }
}

const DEAF: Listener = {
  requestBody: () => {},
  requestEnd: () => {},
  response: () => {},
  piece: () => {},
  end: async () => {},
};

/** A listener whose first failure makes it deaf instead of stopping the traffic. */
function tolerant(listener: Listener, onFailure: () => void): Listener {
  let current = listener;
  const fail = () => {
    if (current !== DEAF) onFailure();
    current = DEAF;
  };
  const attempt = (action: () => void) => {
    try {
      action();
    } catch {
      fail();
    }
  };
  return {
    requestBody: (bytes) => attempt(() => current.requestBody(bytes)),
    requestEnd: () => attempt(() => current.requestEnd()),
    response: (head) => attempt(() => current.response(head)),
    piece: (bytes) => attempt(() => current.piece(bytes)),
    end: (end) => current.end(end).catch(fail),
  };
}
