import type { Service } from '../state/service.ts';
import type { StateProgress } from '../state/state-progress.ts';
import type { RunEnvironment, RunState } from './engine.ts';

/** A run as the service stores it. */
export interface RunRecord {
  readonly id: string;
  /** The state machine with its objects. */
  readonly work: RunState;
  readonly service: Service;
  /** Clock, identifiers and model of the service. */
  readonly around: RunEnvironment;
  progress: StateProgress;
  /** Transitions made since `progress` began. */
  moves: number;
  /** True while a stream advances the run; other requests do not advance it meanwhile. */
  streamed: boolean;
}
