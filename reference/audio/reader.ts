import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

/** Damaged recordings can keep the library that reads them busy for ever: it works where it can be stopped. */
const program = `
const { parentPort, workerData } = require('node:worker_threads');
const { ALL_FORMATS, FilePathSource, Input } = require(workerData);
parentPort.on('message', async (path) => {
  parentPort.postMessage({ began: true });
  const input = new Input({ formats: ALL_FORMATS, source: new FilePathSource(path) });
  try {
    const track = await input.getPrimaryAudioTrack();
    if (track === null) throw new Error('it holds no audio track');
    parentPort.postMessage({ seconds: await track.computeDuration() });
  } catch (error) {
    parentPort.postMessage({ why: error instanceof Error ? error.message : 'unreadable' });
  } finally {
    input.dispose();
  }
});`;

/** What the thread says: that it has begun, then how long the recording is in seconds, or why nobody can tell. */
type Word = { readonly began: true } | { readonly seconds: number } | { readonly why: string };

/** Reads recordings one after the other, in a thread that starts with the first and never keeps a process alive. */
export class AudioReader {
  /** Milliseconds that reading one may take. */
  readonly #patience: number;
  #thread: Worker | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(patience = 10_000) {
    this.#patience = patience;
  }

  /** Seconds that the recording in this file lasts. Throws an Error that says why it cannot be read. */
  duration(path: string): Promise<number> {
    const read = this.#last.then(() => this.#read(path));
    this.#last = read.catch(() => undefined);
    return read;
  }

  #read(path: string): Promise<number> {
    const thread = this.#thread ?? this.#start();
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const end = (act: () => void): void => {
        clearTimeout(timer);
        thread.off('error', failed).off('message', heard);
        act();
      };
      const giveUp = (why: string): void => {
        this.#thread = null;
        void thread.terminate();
        end(() => reject(new Error(why)));
      };
      const failed = ({ message }: Error): void => giveUp(message);
      const heard = (word: Word): void => {
        if ('began' in word) timer = setTimeout(giveUp, this.#patience, 'it takes too long');
        else if ('seconds' in word) end(() => resolve(word.seconds));
        else end(() => reject(new Error(word.why)));
      };
      thread.on('error', failed).on('message', heard);
      thread.postMessage(path);
    });
  }

  #start(): Worker {
    const library = createRequire(import.meta.url).resolve('mediabunny');
    this.#thread = new Worker(program, { eval: true, workerData: library });
    this.#thread.unref();
    return this.#thread;
  }
}
