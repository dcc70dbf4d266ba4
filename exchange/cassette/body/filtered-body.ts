import type { ByteFilter } from '../../redaction/redactor.ts';
import type { BodyPlacement, BodySink } from './body-sink.ts';

/** The filters of one body. */
export interface BodyFilters {
  /** Redacts what arrives. */
  readonly first: ByteFilter;
  /** Makes a filter for content that went through `first`, for secrets that are known now. */
  readonly again: () => ByteFilter;
  /** Whether `first` holds everything back until the body is whole. */
  readonly isHeldBack: boolean;
}

/** A body on its way through its filter to where it is stored. */
export class FilteredBody {
  /** Fixed at the beginning; `#filter` is the one that is in use. */
  readonly #filters: BodyFilters;
  readonly #sink: BodySink;
  /** What arrives goes through it; another takes its place when a secret becomes known. */
  #filter: ByteFilter;
  /** `whole`: all of it went through the filter. `kept`: its line is written. */
  #state: 'open' | 'whole' | 'kept' = 'open';

  constructor(filters: BodyFilters, sink: BodySink) {
    this.#filters = filters;
    this.#filter = filters.first;
    this.#sink = sink;
  }

  /** Bytes that came out of the filter so far. */
  get size(): number {
    return this.#sink.size;
  }

  /** Adds bytes as they arrive. */
  push(bytes: Uint8Array): void {
    this.#sink.push(this.#filter.push(bytes));
  }

  /** The body is complete. */
  end(): void {
    this.#sink.push(this.#filter.finish());
    this.#state = 'whole';
  }

  /** Where it is stored. Only a blob takes time; until `kept` secrets can still be taken out of it. */
  placement(): BodyPlacement | Promise<BodyPlacement> {
    return this.#sink.finish();
  }

  /** Its line is written: it is taken out of the journal from now on. */
  kept(): void {
    this.#state = 'kept';
  }

  /** A secret became known: searches for it in what has come out of the filter. Throws CassetteError where what lies on the disk cannot be changed. */
  refilter(): void {
    if (this.#state === 'kept' || this.#sink.size === 0) return;
    if (this.#state === 'whole') this.#sink.rewrite(this.#filters.again());
    else if (!this.#filters.isHeldBack) {
      const filter = this.#filters.again();
      this.#sink.refilter(this.#filter, filter);
      this.#filter = filter;
    }
  }
}
