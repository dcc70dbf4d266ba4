import type { Exchange } from '../../exchange/exchange.ts';
import type { CallInput } from '../scenario/scenario.ts';
import type { IncomingResponse } from '../target/target.ts';
import type { JobWaits } from './job-waits.ts';

/** The requests of a cleanup. Neither rejects while the run has a target: an exchange without a response is a result, too. */
export interface CleanupTarget {
  /** Sends one operation. */
  readonly call: (operation: string, input: CallInput) => Promise<Exchange>;
  /** Shared by all cleanups of a target. */
  readonly waits: JobWaits;
  /** The answer to GET of a path that no service has. */
  readonly unknownPath: () => Promise<Pick<IncomingResponse, 'response'>>;
}
