import { createHash } from 'node:crypto';
import { perService } from '../state/service.ts';

/** Most speeches that are remembered; the oldest is dropped first. */
const maxTexts = 1000;

/** Most files that are cached for equal requests, because encoding is slow; the least recently used is dropped first. */
const maxFiles = 32;

/** Speeches that this service has made, so that it can transcribe them word by word: texts by SHA-256 of the file. */
class SpeechMemory {
  readonly #texts = new Map<string, string>();
  readonly #files = new Map<string, Promise<Uint8Array>>();

  /** Remembers the text of a file. */
  keep(file: Uint8Array, text: string): void {
    this.#texts.set(createHash('sha256').update(file).digest('hex'), text);
    const oldest = this.#texts.size > maxTexts ? this.#texts.keys().next().value : undefined;
    if (oldest !== undefined) this.#texts.delete(oldest);
  }

  /** The cached file of an equal request, or a new one. */
  async cached(request: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const known = this.#files.get(request) ?? make();
    this.#files.delete(request);
    this.#files.set(request, known);
    const oldest = this.#files.size > maxFiles ? this.#files.keys().next().value : undefined;
    if (oldest !== undefined) this.#files.delete(oldest);
    return known;
  }

  /** The text of the file with this SHA-256 (hex), if this service has made it. */
  recall(digest: string): string | undefined {
    return this.#texts.get(digest);
  }
}

/** The speeches of a service. */
export const speechesOf = perService(() => new SpeechMemory());
