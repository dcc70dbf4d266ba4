import { setImmediate, setTimeout } from 'node:timers/promises';
import { JournalFollower } from '../exchange/cassette/follow.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import { type Judge, openJudge } from '../judge/court.ts';
import type { Dialect } from '../judge/dialect.ts';
import type { Judgement } from '../judge/verdict.ts';
import { catalogue } from '../suites/index.ts';
import { under } from './dialect.ts';

/** Milliseconds that judging takes at a time, and leaves to what else this thread has to do, as to the embedded service. */
const SLICE = 5;
const PAUSE = 10;

/** Null where only the finished cassette can tell. */
type Judged = { readonly judgement: Judgement; readonly header: TraceHeader } | null;

/**
 * Judges a run out of the journal that it writes, while another thread drives it. The verdicts are those that the
 * finished cassette gives.
 */
export class Alongside {
  readonly #dialect: Dialect | null;
  #state: 'driving' | 'driven' | 'over' = 'driving';
  #judged: Promise<Judged> = Promise.resolve(null);

  constructor(dialect: Dialect | null) {
    this.#dialect = dialect;
  }

  /** The journal of the cassette is there. */
  begin(cassette: string): void {
    // Where anything goes wrong, judging the finished cassette meets it again, and tells it.
    this.#judged = this.#follow(cassette).catch(() => null);
  }

  /** Nothing more is driven: the time of this thread is the judge's. */
  hurry(): void {
    this.#state = 'driven';
  }

  /** The journal is closed, or nobody will write it any more. */
  end(): void {
    this.#state = 'over';
  }

  /** What it came to. */
  judged(): Promise<Judged> {
    return this.#judged;
  }

  async #follow(cassette: string): Promise<Judged> {
    const follower = new JournalFollower(cassette);
    try {
      const header = under(follower.header, this.#dialect);
      const judge = openJudge({ catalogue: await catalogue(), header, dialect: this.#dialect });
      for (let isOver = false; !isOver; ) {
        isOver = this.#state === 'over';
        await this.#feed(judge, follower);
        if (!isOver) await setTimeout(PAUSE);
      }
      return follower.isWhole ? { judgement: judge.finish(), header } : null;
    } finally {
      follower.close();
    }
  }

  async #feed(judge: Judge, follower: JournalFollower): Promise<void> {
    let began = performance.now();
    for (const item of follower.read()) {
      judge.feed(item);
      if (performance.now() - began < SLICE) continue;
      await (this.#state === 'driving' ? setTimeout(PAUSE) : setImmediate());
      began = performance.now();
    }
  }
}
