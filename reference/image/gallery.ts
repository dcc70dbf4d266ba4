import { open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { perService, type Service } from '../state/service.ts';

/** 2 Limits: how long an image URL is valid, in milliseconds. */
const validity = 60 * 60 * 1000;

interface Hung {
  readonly path: string;
  readonly until: number;
}

/** Images that are served by URL until they expire; kept on disk. */
class Gallery {
  readonly #service: Service;
  readonly #hung = new Map<string, Hung>();

  constructor(service: Service) {
    this.#service = service;
  }

  /** Hangs an image up; returns the URL that shows it for 60 minutes. */
  async hang(bytes: Uint8Array): Promise<string> {
    await this.#takeDownExpired();
    const name = `${this.#service.id('img-')}.png`;
    const path = join(this.#service.directory, name);
    await writeFile(path, bytes);
    this.#hung.set(name, { path, until: this.#service.clock() + validity });
    return `${this.#service.origin()}/images/${name}`;
  }

  /** The image, or null when there is none of that name (any more). */
  async show(name: string): Promise<Readable | null> {
    const hung = this.#hung.get(name);
    if (hung === undefined || hung.until <= this.#service.clock()) return null;
    const handle = await open(hung.path).catch(() => null);
    return handle?.createReadStream() ?? null;
  }

  /** In the order of hanging the first are the first to expire. */
  async #takeDownExpired(): Promise<void> {
    for (const [name, { path, until }] of this.#hung) {
      if (until > this.#service.clock()) return;
      this.#hung.delete(name);
      await rm(path, { force: true });
    }
  }
}

export const galleryOf = perService((service) => new Gallery(service));
