import { cleanUp, type Leftover } from './cleanup.ts';
import { aimAtTarget } from './configuration.ts';
import { Ledger } from './ledger.ts';
import { Scout } from './scout.ts';
import { Session } from './session.ts';
import { readSettings } from './settings.ts';
import { unrecorded } from './unrecorded.ts';

export interface SweepOptions {
  readonly apiKey: string | null;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** Seconds for one exchange; 60 unless given. */
  readonly timeout?: number;
}

export interface Swept {
  readonly baseUrl: string;
  /** How many objects were removed or found gone. */
  readonly removed: number;
  readonly leftovers: readonly Leftover[];
}

/**
 * Removes what a run left on its target, by its ledger, newest first; can be done again.
 * Throws ConfigurationError when the file is no ledger. Where the target is not reached, everything is a leftover.
 */
export async function sweep(ledgerFile: string, options: SweepOptions): Promise<Swept> {
  const { ledger, header } = Ledger.reopen(ledgerFile);
  const flags = { baseUrl: header.baseUrl, betaHeader: header.betaHeader, timeout: options.timeout ?? 60 };
  const settings = readSettings({ flags, env: {}, file: null, readText: () => '' });
  const aimed = aimAtTarget({ ...settings, apiKey: options.apiKey, headers: options.headers ?? [] }, null);
  const session = new Session(aimed, unrecorded(), new Scout(aimed));
  try {
    const open = ledger.open();
    const leftovers = await cleanUp(ledger, open, (operation, input) =>
      session.exchange({ scenario: null, cleanup: true }, operation, input),
    );
    return {
      baseUrl: header.baseUrl,
      removed: open.length - new Set(leftovers.map(({ n }) => n)).size,
      leftovers,
    };
  } finally {
    await session.close();
    ledger.close();
  }
}
