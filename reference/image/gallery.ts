import { open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { perService, type Service } from '../state/service.ts';

/** 2 Limits: how long an image URL is valid, in milliseconds. */
const validity = 60 * 60 * 1000;

/** A stored image; `until` in milliseconds since 1970. */
interface StoredImage {
  readonly path: string;
  readonly until: number;
}

/** Images that are served by URL until they expire; kept on disk. */
class Gallery {
  readonly #service: Service;
  readonly #images = new Map<string, StoredImage>();

  constructor(service: Service) {
    this.#service = service;
  }

  /** Stores an image and returns its URL, which is valid for 60 minutes. */
  async add(bytes: Uint8Array): Promise<string> {
    await this.#deleteExpired();
    const name = `${this.#service.id('img-')}.png`;
    const path = join(this.#service.directory, name);
    await writeFile(path, bytes);
    this.#images.set(name, { path, until: this.#service.clock() + validity });
    return `${this.#service.origin()}/images/${name}`;
  }

  /** The image of this name, or null when it does not exist or has expired. */
  async read(name: string): Promise<Readable | null> {
    const image = this.#images.get(name);
    // An expired image is not found even before its file is deleted.
    if (image === undefined || image.until <= this.#service.clock()) return null;
    const handle = await open(image.path).catch(() => null);
    return handle?.createReadStream() ?? null;
  }

  /** Deletes expired images. The map is in the order of creation, which is that of expiry. */
  async #deleteExpired(): Promise<void> {
    for (const [name, { path, until }] of this.#images) {
      if (until > this.#service.clock()) return;
      this.#images.delete(name);
      await rm(path, { force: true });
    }
  }
}

/** The images of a service. */
export const galleryOf = perService((service) => new Gallery(service));
