import type { Service } from '../state/service.ts';
import type { StateProgress } from '../state/state-progress.ts';
import type { RunEnvironment, RunState } from './engine.ts';

/** A run as the service keeps it. */
export interface RunRecord {
  readonly id: string;
  readonly work: RunState;
  readonly service: Service;
  readonly around: RunEnvironment;
  progress: StateProgress;
  /** Moves made since `progress` began. */
  moves: number;
  /** A stream moves the run alone; readings meanwhile only look. */
  streamed: boolean;
}
