import type { HeaderPairs } from '../exchange.ts';
import { mediaTypeOf } from '../http/content.ts';
import { MAX_DECODED_BODY_BYTES } from './filters/content-coding-filter.ts';
import { EventStreamFilter } from './filters/event-stream-filter.ts';
import { chainFilters } from './filters/filter-chain.ts';
import { GzipFilter } from './filters/gzip.ts';
import type { ByteFilter } from './filters/replacer.ts';
import type { SecretStore } from './secret-store.ts';

/** Limits of gzip files that no header declares. */
const LIMITS = { packed: MAX_DECODED_BODY_BYTES, unpacked: 8 * MAX_DECODED_BODY_BYTES };
const FORM = 'application/x-www-form-urlencoded';

/** Fields of lines whose values are words of the format. */
const WORDS: ReadonlySet<string> = new Set(['e', 'note', 'how', 'kind']);

/**
 * Replaces known secrets and fields that are named as secrets, without the rules of the user: alone for content to which the
 * rules were applied before, and after them for new content.
 */
export class KnownSecrets {
  readonly #store: SecretStore;
  readonly #remark: (message: string) => void;

  /** `remark` gets what people should know about content that could not be searched. */
  constructor(store: SecretStore, remark: (message: string) => void) {
    this.#store = store;
    this.#remark = remark;
  }

  /** A text with known secrets replaced. */
  text(text: string): string {
    const bytes = Buffer.from(text);
    const redacted = this.#store.bytes.replace(bytes);
    return redacted === bytes ? text : Buffer.from(redacted).toString();
  }

  /**
   * A value of JSON with known secrets replaced in its strings; the very same value where there are none. Its keys, and words of the formats,
   * stay.
   */
  strings<T extends object>(value: T): T {
    const written = JSON.stringify(value);
    // Most values hold none: that shows in their JSON, unless a code of its own stands in it escaped.
    if (!/\\[\\u]/.test(written) && this.#store.bytes.find(Buffer.from(written)) === -1) return value;
    const text = JSON.stringify(value, (key, item: unknown) =>
      typeof item === 'string' && !WORDS.has(key) ? this.text(item) : item,
    );
    return JSON.parse(text) as T; // as: only the content of strings has changed
  }

  /** For a body that comes in pieces: as many bytes come out as go in, some of them later. `headers`: those of its message, for the media type. */
  stream(headers: HeaderPairs = []): ByteFilter {
    const { forms, bodies } = this.#store;
    const isForm = mediaTypeOf(headers)?.essence === FORM;
    const open = () =>
      isForm && forms !== null ? chainFilters(forms.stream(), bodies.stream()) : bodies.stream();
    return new GzipFilter(open, LIMITS, this.#remark);
  }

  /** The same for an event stream: it also replaces a secret that is cut into the deltas of several events. */
  eventStream(): ByteFilter {
    const { bodies, bodyDeltas } = this.#store;
    return bodies.isEmpty ? bodies.stream() : new EventStreamFilter(bodies, bodyDeltas);
  }
}
