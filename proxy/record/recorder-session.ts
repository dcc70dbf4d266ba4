import type { Cassette } from '../../exchange/cassette/cassette.ts';
import type { CassetteWriter } from '../../exchange/cassette/cassette-writer.ts';
import { failedDir, removeCassette } from '../../exchange/cassette/folder.ts';
import type { Quarantined } from '../../exchange/cassette/quarantine.ts';

import type { Note, NoteContent } from '../../exchange/trace.ts';
import type { Forwarder } from '../forward/forward.ts';
import { type ListeningServer, listenOnLoopback } from '../forward/listen.ts';
import { RequestHandler, type RequestHandlerOptions } from '../forward/request-handler.ts';
import type { OtherHosts } from '../urls/other-hosts.ts';
import type { RecordOptions, RecordReport } from './record-options.ts';

/** Everything that a recorder opens, and closes again. */
export interface RecorderParts {
  readonly cassette: CassetteWriter;
  readonly forwarder: Forwarder;
  /** The cassette that answers known requests; null for none. */
  readonly known: Cassette | null;
  readonly otherHosts: OtherHosts | null;
  readonly handling: RequestHandlerOptions;
}

/** A recorder from its first request to its finished cassette. */
export class RecorderSession {
  readonly #parts: RecorderParts;
  readonly #handler: RequestHandler;
  /** Exchanges that were in the cassette before. */
  readonly #before: number;
  #server: ListeningServer | null = null;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
    this.#before = parts.cassette.exchanges;
    this.#handler = new RequestHandler(parts.cassette, parts.forwarder, parts.handling);
  }

  /** Begins to accept requests; resolves to the base URL. Rejects when the port is in use, and has closed everything then. */
  async listen(port: number): Promise<string> {
    try {
      this.#server = await listenOnLoopback(port, this.#handler);
      return this.#server.url;
    } catch (error) {
      const { forwarder, cassette } = this.#parts;
      const isNew = this.#before === 0 && !cassette.replaces;
      forwarder.close();
      cassette.finish();
      // It is empty, and would look like the recording of a silent client.
      if (isNew) removeCassette(cassette.dir);
      throw error;
    }
  }

  /** The exchanges and connections that are missing from the cassette so far. */
  missing(): Pick<RecordReport, 'beyondLimit' | 'diskFailed' | 'upgraded'> {
    const { unrecorded, upgraded } = this.#handler;
    return { beyondLimit: this.#parts.cassette.passed, diskFailed: unrecorded - upgraded, upgraded };
  }

  /** Stores a fact beside the exchanges, and returns it as it is stored. */
  note(content: NoteContent): Note {
    return this.#parts.cassette.note(content);
  }

  /** Finishes the cassette, then closes the connections: a client that waits for its response gets it. */
  async close(
    outcome: 'failed' | 'succeeded',
    { cassette: dir, onSettled }: RecordOptions,
  ): Promise<RecordReport> {
    const { cassette } = this.#parts;
    const handler = this.#handler;
    handler.open = false;
    await cassette.settled();
    const { exchanges } = cassette;
    const { unreachable } = handler;
    const isFailed = exchanges > 0 && (outcome === 'failed' || unreachable !== null);
    const aside = isFailed && cassette.replaces ? failedDir(dir) : null;
    const quarantined = await this.#finish(aside, onSettled);
    const { replayed, unanswered } = handler;
    return {
      recorded: exchanges - this.#before,
      exchanges: exchanges - (quarantined?.exchanges ?? 0),
      replayed,
      missed: 0,
      unrecorded: handler.unrecorded + cassette.passed,
      ...this.missing(),
      unanswered,
      unreachable,
      quarantined,
      aside,
    };
  }

  async #finish(aside: string | null, onSettled: RecordOptions['onSettled']): Promise<Quarantined | null> {
    const { cassette, forwarder, known, otherHosts } = this.#parts;
    let quarantined: Quarantined | null = null;
    try {
      await onSettled?.({ learnedLate: cassette.learnedLate });
    } finally {
      try {
        quarantined = cassette.finish(aside ?? undefined);
      } finally {
        known?.close();
        await this.#server?.hangUp();
        forwarder.close();
        otherHosts?.close();
      }
    }
    return quarantined;
  }
}
