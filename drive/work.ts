import { BroadcastChannel } from 'node:worker_threads';
import type { CassetteWriter } from '../exchange/cassette/write.ts';
import { findClaims, isNothingThere } from './claims.ts';
import { discover } from './discover.ts';
import { notFound, unlisted, unreachable } from './first-look.ts';
import { type Lane, lanesOf, listsOthers } from './lanes.ts';
import { Ledger } from './ledger.ts';
import { perform } from './perform.ts';
import { type EarlierRun, earlierRun } from './recall.ts';
import { openRecorder } from './recorder.ts';
import type { Scenario } from './scenario.ts';
import { Scout } from './scout.ts';
import { type Selection, select } from './select.ts';
import { Session } from './session.ts';
import type { Errand, FromWorker, Summary, ToWorker } from './wire.ts';

/** What the worker thread does: finds the target and the scenarios, performs them, and tells the main thread. */
export class Work {
  /** Scenarios that run at the same time. */
  readonly together: readonly Scenario[];
  /** Those that run after them, in lanes beside each other: in a lane one by one. Lanes of one group run together. */
  readonly inTurn: readonly (readonly Lane[])[];
  readonly #scenarios: readonly Scenario[];
  readonly #errand: Errand;
  readonly #session: Session;
  readonly #recorder: CassetteWriter;
  readonly #ledger: Ledger;
  readonly #line: Line;
  readonly #crashed: { scenario: string; message: string }[] = [];
  readonly #leftovers: Summary['leftovers'][number][] = [];
  readonly #waiting: Summary['waiting'][number][] = [];
  readonly #earlier: EarlierRun | null;
  readonly #skipped: number;
  #blocked = 0;
  #done = 0;

  /** Opens ledger and journal, then looks for the target; if nobody is there the run is over before it began. */
  static async begin(errand: Errand): Promise<Work> {
    const { configuration } = errand;
    const line = new Line(errand.channel);
    const scenarios = await discover(errand.suites);
    const scout = new Scout(configuration);
    const earlier = errand.resume ? await earlierRun(errand.cassette, errand.ledger) : null;
    const missing = await scout.awaited(configuration.waitFor, line.stopped);
    // Nobody can be asked what they offer where nobody is.
    const claim = missing !== null && configuration.claim === 'auto' ? 'all' : configuration.claim;
    const claims = await findClaims(claim, scout);
    const recorder = openRecorder(errand, claims);
    const session = new Session(configuration, recorder, scout);
    if (earlier !== null)
      session.note({ note: 'resumed', scenarios: earlier.waits.map(({ scenario }) => scenario) });
    line.onStop = ({ stop }) => session.stop(stop.reason, stop.message);
    if (missing !== null)
      session.stop('target-unreachable', unreachable(configuration.target.baseUrl, missing));
    else if (!configuration.target.embedded && scout.status === 404 && earlier === null) {
      if (await isNothingThere(claims.families, scout))
        session.stop('target-unreachable', notFound(configuration.target.baseUrl));
    }
    const strangers = unlisted(configuration, scout.models);
    if (strangers !== null && earlier === null) {
      session.note({ note: 'hint', message: strangers });
      line.tell({ kind: 'hint', message: strangers });
    }
    const offered = session.stopped === null ? scenarios : [];
    const selection =
      earlier === null
        ? select(offered, configuration, claims.families)
        : { run: offered.filter(({ name }) => earlier.recalls.has(name)), skipped: [] };
    return new Work(errand, line, recorder, session, selection, earlier);
  }

  private constructor(
    errand: Errand,
    line: Line,
    recorder: CassetteWriter,
    session: Session,
    { run, skipped }: Selection,
    earlier: EarlierRun | null,
  ) {
    const { configuration, tag } = errand;
    for (const { scenario, reason, detail } of skipped)
      session.note({ note: 'scenario-skipped', scenario, reason, detail });
    const { betaHeader, target } = configuration;
    this.#earlier = earlier;
    this.#ledger =
      earlier === null
        ? Ledger.create(errand.ledger, { ledger: 1, baseUrl: target.baseUrl, betaHeader, tag })
        : Ledger.reopen(errand.ledger).ledger;
    this.#errand = errand;
    this.#line = line;
    this.#recorder = recorder;
    this.#session = session;
    this.#skipped = skipped.length;
    this.#scenarios = run;
    // On the reference every run sees the same: what lists the objects of others begins when nobody makes any.
    const late = target.embedded ? run.filter(listsOthers) : [];
    this.together = run.filter((scenario) => !late.includes(scenario));
    this.inTurn = lanesOf(late);
    line.tell({ kind: 'selected', run: run.length, skipped: skipped.length });
  }

  async perform(scenario: Scenario): Promise<void> {
    const { name } = scenario;
    const tag =
      this.#earlier?.waits.find((one) => one.scenario === name)?.tag ??
      `${this.#errand.tag}-${this.#scenarios.indexOf(scenario) + 1}`;
    const recall = this.#earlier?.recalls.get(name) ?? null;
    this.#line.tell({ kind: 'started', scenario: name, spent: this.#session.spent });
    const { outcome, message, leftovers } = await perform(scenario, tag, this.#session, this.#ledger, recall);
    if (outcome === 'crashed') this.#crashed.push({ scenario: name, message: message ?? '' });
    if (outcome === 'waiting') this.#waiting.push({ scenario: name, message: message ?? '' });
    if (outcome === 'blocked') this.#blocked += 1;
    this.#leftovers.push(...leftovers);
    this.#done += 1;
    const { spent } = this.#session;
    this.#line.tell({ kind: 'ended', scenario: name, outcome, message, done: this.#done, spent });
  }

  async finish(): Promise<void> {
    const stopped = this.#session.stopped;
    await this.#session.close();
    this.#line.tell({ kind: 'recorded' });
    const quarantined = this.#recorder.finish();
    this.#ledger.close();
    const summary: Summary = {
      stopReason: stopped?.reason ?? 'completed',
      message: stopped?.message ?? null,
      scenarios: { run: this.#done, skipped: this.#skipped, blocked: this.#blocked },
      crashed: this.#crashed,
      leftovers: this.#leftovers,
      waiting: this.#waiting,
      spent: this.#session.spent,
      learnedLate: this.#recorder.learnedLate,
      quarantined,
    };
    this.#line.tell({ kind: 'finished', summary });
    this.#line.close();
  }
}

/** The line to the main thread. */
class Line {
  readonly #channel: BroadcastChannel;
  readonly #stop = new AbortController();
  #early: ToWorker | null = null;
  #listener: ((message: ToWorker) => void) | null = null;

  constructor(name: string) {
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = (event) => {
      const message = (event as { data: ToWorker }).data; // as: the only other end is run.ts
      this.#stop.abort();
      if (this.#listener === null) this.#early = message;
      else this.#listener(message);
    };
    this.#channel.unref();
    this.tell({ kind: 'listening' });
  }

  /** Aborted once the main thread wants the run to end. */
  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  set onStop(listener: (message: ToWorker) => void) {
    this.#listener = listener;
    if (this.#early !== null) listener(this.#early);
  }

  tell(message: FromWorker): void {
    this.#channel.postMessage(message);
  }

  close(): void {
    this.#channel.close();
  }
}
