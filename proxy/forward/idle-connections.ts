import type { Agent, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** Idle time after which a connection is closed: shorter than that of most services, to avoid resets. */
const MAX_IDLE_MS = 4_000;
const SWEEP_INTERVAL_MS = 500;
/** An idle time ends at least this long before the idle timeout that the service announces. */
const CLOSE_EARLY_MS = 1_000;

/**
 * Closes idle connections of an agent in periodic sweeps. The agent's own timeout would set and clear a timer for each
 * request and parse the header fields of each response, a tenth of the proxy's work for a small request.
 */
export class IdleConnections {
  readonly #agent: Agent;
  /** Deadline of each idle connection, on the clock of `performance.now()`. */
  readonly #deadlines = new Map<Duplex, number>();
  /** Idle times below `MAX_IDLE_MS`, of connections whose service announces an idle timeout that requires them. */
  readonly #maxIdleMs = new WeakMap<Duplex, number>();
  #timer: NodeJS.Timeout | null = null;

  constructor(agent: Agent) {
    this.#agent = agent;
    const reuse = agent.reuseSocket.bind(agent);
    agent.keepSocketAlive = (socket) => this.#keep(socket);
    agent.reuseSocket = (socket, request) => {
      this.#deadlines.delete(socket);
      reuse(socket, request);
    };
  }

  noteKeepAlive({ rawHeaders, socket }: IncomingMessage): void {
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
      const name = rawHeaders[i] ?? '';
      if (name.length !== 'keep-alive'.length || name.toLowerCase() !== 'keep-alive') continue;
      const seconds = /(?:^|[,\s])timeout=(\d+)/i.exec(rawHeaders[i + 1] ?? '')?.[1];
      const allowedMs = seconds === undefined ? MAX_IDLE_MS : Number(seconds) * 1_000 - CLOSE_EARLY_MS;
      if (allowedMs < MAX_IDLE_MS) this.#maxIdleMs.set(socket, allowedMs);
    }
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#deadlines.clear();
    this.#agent.destroy();
  }

  #keep(socket: Duplex): boolean {
    const idleMs = this.#maxIdleMs.get(socket) ?? MAX_IDLE_MS;
    if (idleMs <= 0) return false;
    this.#deadlines.set(socket, performance.now() + idleMs);
    this.#timer ??= setInterval(() => this.#sweep(), SWEEP_INTERVAL_MS).unref();
    return true;
  }

  #sweep(): void {
    const now = performance.now();
    for (const [socket, deadline] of this.#deadlines) {
      if (deadline > now && !socket.destroyed) continue;
      this.#deadlines.delete(socket);
      socket.destroy();
    }
    if (this.#deadlines.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}
