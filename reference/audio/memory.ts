import { createHash } from 'node:crypto';
import { perService } from '../service.ts';

/** More speeches than this are not remembered; the oldest is forgotten first. */
const remembered = 1000;

/** What this service has spoken, so that it understands its own voice: the text by the digest of the file. */
export class SpeechMemory {
  readonly #texts = new Map<string, string>();

  keep(file: Uint8Array, text: string): void {
    this.#texts.set(createHash('sha256').update(file).digest('hex'), text);
    const oldest = this.#texts.size > remembered ? this.#texts.keys().next().value : undefined;
    if (oldest !== undefined) this.#texts.delete(oldest);
  }

  recall(digest: string): string | undefined {
    return this.#texts.get(digest);
  }
}

export const speechesOf = perService(() => new SpeechMemory());
