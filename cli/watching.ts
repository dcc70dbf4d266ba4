import { Worker } from 'node:worker_threads';
import type { JournalEvent } from '../exchange/cassette/format.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import type { Judgement } from '../judge/verdict.ts';
import type { Standing } from './watcher.ts';

/** What the thread that judges is told at its start. */
export interface WatchErrand {
  readonly header: TraceHeader;
  /** Name or file. */
  readonly dialect: string | null;
  /** Folder of the cassette. */
  readonly cassette: string;
  readonly width: number;
  readonly colours: 'on' | 'off';
  /** Memory that the judge may hold, in bytes. */
  readonly most: number;
}

export type ToWatcher =
  | {
      readonly kind: 'exchanges';
      readonly exchanges: readonly (readonly JournalEvent[])[];
      readonly size: number;
    }
  | { readonly kind: 'finish' };

export type FromWatcher =
  | {
      readonly kind: 'judged';
      readonly count: number;
      readonly size: number;
      readonly standing: Standing;
    }
  | { readonly kind: 'violation'; readonly text: string }
  | ({ readonly kind: 'finished' } & Watched);

/** What it all comes to. */
export interface Watched {
  readonly judgement: Judgement;
  readonly header: TraceHeader;
  /** Keyed states that were given up for memory: evidence that is lost, never a finding. */
  readonly forgotten: number;
}

/** So many exchanges may wait to be judged; beyond that the traffic waits, so that memory stays bounded. */
const AHEAD = 512;
/** And so many characters of theirs. */
const AHEAD_SIZE = 64 * 1024 * 1024;

/** They are handed over together: so many, or those of so many milliseconds. */
const TOGETHER = 64;
const COLLECT = 20;

export interface WatchingOptions {
  readonly onViolation: (text: string) => void;
  readonly onStanding: (standing: Standing) => void;
}

/** This side of the thread that judges. */
export class Watching {
  readonly #worker: Worker;
  readonly #done: Promise<Extract<FromWatcher, { kind: 'finished' }>>;
  readonly #batch: (readonly JournalEvent[])[] = [];
  #timer: NodeJS.Timeout | undefined;
  #waiting = 0;
  #size = 0;
  /** Of the batch. */
  #held = 0;
  #resume: (() => void)[] = [];
  #isBroken = false;
  #finished: ReturnType<Watching['finish']> | null = null;

  constructor(errand: WatchErrand, { onViolation, onStanding }: WatchingOptions) {
    this.#worker = thread(errand);
    this.#done = new Promise((resolve, reject) => {
      this.#worker.on('message', (message: FromWatcher) => {
        if (message.kind === 'finished') resolve(message);
        else if (message.kind === 'violation') onViolation(message.text);
        else {
          this.#waiting -= message.count;
          this.#size -= message.size;
          if (this.#waiting < AHEAD / 2 && this.#size < AHEAD_SIZE / 2) this.#letGo();
          onStanding(message.standing);
        }
      });
      this.#worker.once('error', (error) => {
        // The traffic goes on; that nothing more was judged is told at the end.
        this.#isBroken = true;
        this.#letGo();
        reject(error);
      });
    });
    this.#done.catch(() => {});
  }

  /** Hands over one exchange; a promise where the traffic has to wait for the judge. */
  hear(lines: readonly JournalEvent[]): Promise<void> | null {
    if (this.#isBroken) return null;
    this.#waiting += 1;
    this.#batch.push(lines);
    const size = sizeOf(lines);
    this.#size += size;
    this.#held += size;
    if (this.#batch.length >= TOGETHER || this.#held >= AHEAD_SIZE / 8) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), COLLECT);
    if (this.#waiting < AHEAD && this.#size < AHEAD_SIZE) return null;
    return new Promise((resolve) => this.#resume.push(resolve));
  }

  /** What it all comes to, however often it is asked. Rejects where the judging thread broke down. */
  finish(): Promise<Watched> {
    this.#finished ??= this.#end();
    return this.#finished;
  }

  async #end(): ReturnType<Watching['finish']> {
    this.#flush();
    this.#worker.postMessage({ kind: 'finish' } satisfies ToWatcher);
    try {
      return await this.#done;
    } finally {
      await this.stop();
    }
  }

  /** Ends the thread, whatever it was doing. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#worker.terminate();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const exchanges = this.#batch.splice(0);
    const size = this.#held;
    this.#held = 0;
    if (exchanges.length > 0)
      this.#worker.postMessage({ kind: 'exchanges', exchanges, size } satisfies ToWatcher);
  }

  #letGo(): void {
    for (const resume of this.#resume.splice(0)) resume();
  }
}

function sizeOf(lines: readonly JournalEvent[]): number {
  let size = 0;
  for (const line of lines) {
    if ('text' in line) size += line.text.length;
    else if ('base64' in line) size += line.base64.length;
  }
  return size;
}

/** Starts the thread; from source it has to be taught TypeScript first, which the main thread was at its start. */
function thread(workerData: WatchErrand): Worker {
  if (!import.meta.url.endsWith('.ts'))
    return new Worker(new URL('./watch-worker.js', import.meta.url), { workerData });
  const [teacher, entry] = [
    import.meta.resolve('tsx/esm/api'),
    new URL('./watch-worker.ts', import.meta.url).href,
  ].map((url) => JSON.stringify(url));
  const code = `import(${teacher}).then(({ register }) => { register(); return import(${entry}); });`;
  return new Worker(code, { eval: true, workerData });
}
