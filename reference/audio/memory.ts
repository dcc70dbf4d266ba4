import { createHash } from 'node:crypto';
import { perService } from '../state/service.ts';

/** More speeches than this are not remembered; the oldest is forgotten first. */
const remembered = 1000;

/** So many files are kept for who asks for the same again; encoders take their time to start. */
const kept = 32;

/** What this service has spoken, so that it understands its own voice: the text by the digest of the file. */
class SpeechMemory {
  readonly #texts = new Map<string, string>();
  readonly #files = new Map<string, Promise<Uint8Array>>();

  keep(file: Uint8Array, text: string): void {
    this.#texts.set(createHash('sha256').update(file).digest('hex'), text);
    const oldest = this.#texts.size > remembered ? this.#texts.keys().next().value : undefined;
    if (oldest !== undefined) this.#texts.delete(oldest);
  }

  /** The file that was made for the same request before, or else a new one. */
  async again(request: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const known = this.#files.get(request) ?? make();
    this.#files.delete(request);
    this.#files.set(request, known);
    const oldest = this.#files.size > kept ? this.#files.keys().next().value : undefined;
    if (oldest !== undefined) this.#files.delete(oldest);
    return known;
  }

  recall(digest: string): string | undefined {
    return this.#texts.get(digest);
  }
}

export const speechesOf = perService(() => new SpeechMemory());
