import type { Worker } from 'node:worker_threads';
import type { JournalEvent } from '../../exchange/cassette/lines.ts';
import type { TraceReceiver } from '../../exchange/cassette/trace-receiver.ts';
import type { Note, TraceHeader } from '../../exchange/trace.ts';
import type { ExchangeMeasure } from '../observation/exchange-measure.ts';
import type { ObservedFinding } from '../observation/observed-finding.ts';
import { IdleThread } from '../threads/idle-thread.ts';
import type { JudgeReply, JudgeRequest, JudgeThreadOptions, RecordedItem } from './judge-messages.ts';
import type { JudgingProgress } from './traffic-judge.ts';
import type { FoundViolation } from './violation-messages.ts';

/** Maximum number of exchanges that wait to be judged; at the maximum the traffic is delayed, which bounds memory. */
const MAX_WAITING_EXCHANGES = 512;
/** Maximum size of the bodies that wait, in characters. */
const MAX_WAITING_CHARACTERS = 64 * 1024 * 1024;

const BATCH_EXCHANGES = 64;
const BATCH_CHARACTERS = MAX_WAITING_CHARACTERS / 8;
/** Time until an incomplete batch is sent, so that violations of a slow client appear promptly. */
const BATCH_MS = 20;

const idleThread = new IdleThread(new URL('./judge-worker', import.meta.url));

export interface JudgeThreadListeners {
  /** Receives the first violation of each requirement and place, at most 1000, unless `violations` is null. */
  readonly onViolation?: (violation: FoundViolation) => void;
  /** Receives the totals since the trace began, after each batch. */
  readonly onProgress?: (progress: JudgingProgress) => void;
  /** Receives the measures of each batch, empty without `isObserved`, and the number of keyed states dropped so far. */
  readonly onMeasures?: (measures: readonly ExchangeMeasure[], forgotten: number) => void;
  /** Receives every violation, repeated ones included, if `isObserved` is set. */
  readonly onFinding?: (finding: ObservedFinding) => void;
}

export type ThreadJudgement = Pick<
  Extract<JudgeReply, { kind: 'finished' }>,
  'judged' | 'forgotten' | 'lost'
>;

/** A judge in a worker thread. It receives a trace during its recording, and delays the traffic if it falls behind. */
export class JudgeThread implements TraceReceiver {
  readonly #worker: Worker;
  readonly #finished: Promise<ThreadJudgement>;
  #batch: RecordedItem[] = [];
  #batchExchanges = 0;
  #batchSize = 0;
  #timer: NodeJS.Timeout | undefined;
  #waiting = { exchanges: 0, size: 0 };
  #resumers: (() => void)[] = [];
  /** True after an error in the thread. No more traffic is queued, because nothing would take it off the queue. */
  #isBroken = false;
  #isReusable: boolean;
  #isStopped = false;
  #detach: () => void = () => {};

  constructor(options: JudgeThreadOptions, listeners: JudgeThreadListeners = {}) {
    const worker = idleThread.take();
    this.#worker = worker;
    // A dialect that cannot be loaded ends the thread with an error, perhaps only once it is idle.
    this.#isReusable = options.dialect === null;
    this.#finished = new Promise((resolve, reject) => {
      const onMessage = (message: JudgeReply): void => {
        if (message.kind === 'finished') {
          this.#isReusable = true;
          resolve(message);
        } else if (message.kind === 'violation') listeners.onViolation?.(message.violation);
        else if (message.kind === 'finding') listeners.onFinding?.(message.finding);
        else {
          this.#countJudged(message.exchanges, message.size);
          listeners.onMeasures?.(message.measures, message.forgotten);
          listeners.onProgress?.(message.progress);
        }
      };
      const onError = (error: unknown): void => {
        // The traffic continues; `finished` rejects because the rest was not judged.
        this.#isBroken = true;
        this.#isReusable = false;
        this.#resumeTraffic();
        reject(error);
      };
      worker.on('message', onMessage).on('error', onError);
      this.#detach = () => worker.off('message', onMessage).off('error', onError);
    });
    this.#finished.catch(() => {});
    this.#post({ kind: 'open', options });
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** From now on the thread keeps the process alive, until `finished` or `stop` releases it. */
  begin(header: TraceHeader): void {
    this.#worker.ref();
    this.#isReusable = false;
    this.#post({ kind: 'begin', header });
  }

  /** Returns a promise if the traffic must wait; null if it may continue. */
  exchange(lines: readonly JournalEvent[]): Promise<void> | null {
    if (this.#isBroken) return null;
    const size = sizeOf(lines);
    this.#batchExchanges += 1;
    this.#batchSize += size;
    this.#waiting.exchanges += 1;
    this.#waiting.size += size;
    this.#add({ kind: 'exchange', lines });
    if (this.#waiting.exchanges < MAX_WAITING_EXCHANGES && this.#waiting.size < MAX_WAITING_CHARACTERS)
      return null;
    return new Promise((resolve) => this.#resumers.push(resolve));
  }

  note(note: Note): void {
    if (!this.#isBroken) this.#add({ kind: 'note', note });
  }

  end(): void {
    this.#flush();
    this.#post({ kind: 'end' });
  }

  /** Rejects if the judging thread failed. */
  async finished(): Promise<ThreadJudgement> {
    try {
      return await this.#finished;
    } finally {
      await this.stop();
    }
  }

  /** Releases the thread for the next judge if it can be reused, else ends it. Further calls do nothing. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    this.#isStopped = true;
    if (this.#isReusable) {
      this.#detach();
      await idleThread.release(this.#worker);
    } else await this.#worker.terminate();
  }

  #add(item: RecordedItem): void {
    this.#batch.push(item);
    if (this.#batchExchanges >= BATCH_EXCHANGES || this.#batchSize >= BATCH_CHARACTERS) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), BATCH_MS);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#batch.length === 0) return;
    this.#post({ kind: 'items', items: this.#batch, exchanges: this.#batchExchanges, size: this.#batchSize });
    this.#batch = [];
    this.#batchExchanges = 0;
    this.#batchSize = 0;
  }

  /** Traffic resumes at half of the limits, so that it does not stop again at once. */
  #countJudged(exchanges: number, size: number): void {
    const waiting = this.#waiting;
    waiting.exchanges -= exchanges;
    waiting.size -= size;
    if (waiting.exchanges < MAX_WAITING_EXCHANGES / 2 && waiting.size < MAX_WAITING_CHARACTERS / 2)
      this.#resumeTraffic();
  }

  #resumeTraffic(): void {
    for (const resume of this.#resumers.splice(0)) resume();
  }

  #post(message: JudgeRequest): void {
    this.#worker.postMessage(message);
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
