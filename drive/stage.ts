import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Json } from '../exchange/body.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { operation as operationOf } from '../schemas/index.ts';
import { answerOf, at, refusalOf, requestOf } from './answer.ts';
import { disposalOf, madeBy } from './disposal.ts';
import type { Ledger } from './ledger.ts';
import type { Recall } from './recall.ts';
import {
  type Answer,
  Blocked,
  type CallInput,
  NotConfigured,
  type Role,
  type Stage,
  Stopped,
  Waiting,
} from './scenario.ts';
import type { Session } from './session.ts';

const LONGEST_PAUSE = 5_000;

/** Milliseconds after which the clock of a target, too, shows another second. */
const SURELY = 1_100;

/** What one scenario stands on: the session, its own tag, and its lines in the ledger. */
export class ScenarioStage implements Stage {
  readonly tag: string;
  readonly #scenario: string;
  readonly #session: Session;
  readonly #ledger: Ledger;
  readonly #recall: Recall | null;
  readonly #calls = new Set<Promise<Answer>>();
  #isOver = false;
  #unknown = 0;

  constructor(scenario: string, tag: string, session: Session, ledger: Ledger, recall: Recall | null = null) {
    this.#scenario = scenario;
    this.tag = tag;
    this.#session = session;
    this.#ledger = ledger;
    this.#recall = recall;
  }

  call(operation: string, input: CallInput = {}): Promise<Answer> {
    const call = this.#called(operation, input);
    this.#calls.add(call);
    const forget = () => this.#calls.delete(call);
    call.then(forget, forget);
    return call;
  }

  /** The scenario is over: waits for what it has under way, so that nothing is made after it was cleaned up. */
  async settled(): Promise<void> {
    this.#isOver = true;
    await Promise.allSettled(this.#calls);
  }

  async #called(operation: string, input: CallInput): Promise<Answer> {
    if (this.#isOver) throw new Stopped('the scenario is over');
    const known = await this.#recall?.answer(this.#session.configuration, operation, input);
    if (known != null) return answerOf(known);
    const row = operationOf(operation);
    const entry = disposalOf(row) === null ? null : this.#ledger.intent(this.#scenario, operation, this.tag);
    const exchange = await this.#session.exchange({ scenario: this.#scenario }, operation, input);
    if (entry !== null) this.#settle(entry, operation, exchange);
    const answer = answerOf(exchange);
    if (row.method === 'DELETE' && answer.ok) this.#forget(Object.values(input.path ?? {}), operation);
    return answer;
  }

  async need(operation: string, input: CallInput = {}): Promise<Answer> {
    const answer = await this.call(operation, input);
    if (answer.ok) return answer;
    throw new Blocked(answer.exchange.id, refusalOf(answer));
  }

  async poll(operation: string, input: CallInput, settled: (json: Json) => boolean): Promise<Answer> {
    const { timeout, target } = this.#session.configuration;
    const deadline = performance.now() + 2000 * timeout;
    let wait = target.embedded ? 5 : 250;
    for (;;) {
      const answer = await this.call(operation, input);
      if (answer.json !== undefined && answer.ok && settled(answer.json)) return answer;
      if (answer.status !== null && answer.status >= 400 && answer.status <= 499) return answer;
      if (this.#recall?.holds(answer.exchange)) continue;
      if (performance.now() + wait > deadline) return this.#late(answer);
      await pause(wait);
      wait = Math.min(wait * 1.6, LONGEST_PAUSE);
    }
  }

  download(url: string): Promise<Exchange | null> {
    return this.#session.download({ scenario: this.#scenario }, url);
  }

  async nextSecond(): Promise<void> {
    if (this.#recall?.more) return;
    await pause(SURELY / this.#session.configuration.target.pace);
  }

  model(role: Role): string {
    const id = this.#session.configuration.models[role];
    if (id === undefined) throw new NotConfigured({ what: 'model', role });
    return id;
  }

  unknownId(prefix: string): string {
    this.#unknown += 1;
    // The same again where a later run goes on with this one.
    const digest = createHash('sha256').update(`${this.tag} ${this.#unknown}`).digest('hex');
    return `${prefix}${digest.slice(0, 24)}`;
  }

  /** What is not over yet is left for a later run; where nobody can or will go on, the scenario does with what there is. */
  #late(answer: Answer): Answer {
    const { target, allowInconclusive } = this.#session.configuration;
    const { id } = answer.exchange;
    const note = {
      note: 'deadline',
      scenario: this.#scenario,
      exchange: id,
      state: stateOf(answer),
    } as const;
    const isOnItsWay = answer.ok && typeof at(answer.json, '/status') === 'string';
    if (target.embedded || allowInconclusive || !isOnItsWay) {
      this.#session.note(note);
      return answer;
    }
    this.#session.note({ ...note, tag: this.tag });
    throw new Waiting({ ...requestOf(answer.exchange), state: note.state });
  }

  #settle(entry: number, operation: string, exchange: Exchange): void {
    const id = madeBy(operationOf(operation), exchange);
    if (id !== null) this.#ledger.made(entry, id);
    else if (exchange.end.how === 'complete') this.#ledger.nothing(entry);
  }

  /** What a scenario deleted itself need not be cleaned up. */
  #forget(ids: readonly string[], operation: string): void {
    for (const id of ids) {
      const entry = this.#ledger.holds(id);
      if (entry === undefined) continue;
      if (disposalOf(operationOf(entry.operation))?.operation === operation)
        this.#ledger.gone(entry.n, 'deleted');
    }
  }
}

function stateOf(answer: Answer): string {
  const status = at(answer.json, '/status');
  return typeof status === 'string' ? status : `HTTP ${answer.status ?? 'nothing'}`;
}
